// Package rebuild finds work that this session has already done and does again: a symbol
// built twice, an edit repeated, a rewrite announced without a reason (C2).
package rebuild

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/duplicate"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

//go:embed doc.md
var doc string

// Detector is the C2 detector.
var Detector = &detect.Detector{
	ID: "C2", Name: "rebuild", Class: sessionevents.ClassC,
	Title: "Rebuilding work of this session",
	Doc:   doc, Rules: []string{"C2", "SW-10", "SW-11", "SW-41a", "SW-44"},
	New: func(set *rules.Set) (detect.Instance, error) { return compile(set) },
}

// Figures of C2.
const (
	costByName    = 1
	costByOverlap = 2
	selfCorrect   = 0.5
	// repeatFloor applies from the third rebuild of one thing on.
	repeatFloor sessionevents.Urgency = 20
)

// NewState returns an empty memory of rebuilds and of failures that excuse them.
func (*instance) NewState() any { return &memory{} }

// Run examines symbols built again, repeated edits, then rebuilds that the plan
// announces.
func (d *instance) Run(p *detect.Pass) []detect.Finding {
	m := p.State.(*memory)
	t := d.look(p)
	list := d.named(t)
	list = append(list, d.repeated(t, list)...)
	d.settle(m, p, true)
	list = append(list, d.rewritten(m, t, list)...)
	d.settle(m, p, false)
	list = append(list, d.announced(t, list)...)
	var findings []detect.Finding
	for i := range list {
		if f := d.report(m, t, &list[i]); f != nil {
			findings = append(findings, *f)
		}
	}
	d.remember(m, p)
	return findings
}

// again is a candidate: something from an earlier turn that this turn builds again.
type again struct {
	subject    string
	subclass   string // named, overlap, announced, rewritten
	cost       int
	confidence float64
	earlier    sessionevents.EarlierEvent
	evidence   sessionevents.Evidence
	message    string
	reason     string
	names      []string // names that a person or an error would use
	// otherInterface is set for the same name with other parameters, which is A2's case.
	otherInterface bool
	// said is set if it was announced but not done in this turn.
	said bool
	// times is the number of versions of a file written before this one without a run.
	times int
}

// config is the section rebuild of the rule data, which explains each value.
type config struct {
	MinLines  int     `yaml:"min_lines" range:"1..1000"`
	Overlap   float64 `yaml:"overlap" range:"0..1"`
	Sample    int     `yaml:"sample" range:"1..64"`
	OtherFile struct {
		Overlap float64 `yaml:"overlap" range:"0..1"`
		Sample  int     `yaml:"sample" range:"1..64"`
	} `yaml:"other_file"`
	BatchTurns    int     `yaml:"batch_turns" range:"0..1000"`
	BodyShingles  int     `yaml:"body_shingles" range:"1..64"`
	OtherPurpose  float64 `yaml:"other_purpose" range:"0..1"`
	SameInterface float64 `yaml:"same_interface" range:"0..1"`
	FloorFrom     int     `yaml:"floor_from" range:"1..100"`
	Kept          struct {
		Rebuilds     int `yaml:"rebuilds" range:"1..1000"`
		Failures     int `yaml:"failures" range:"1..100"`
		FailureBytes int `yaml:"failure_bytes" range:"16..4096"`
	} `yaml:"kept"`
	Confidence struct {
		Overlap   float64 `yaml:"overlap" range:"0..1"`
		Named     float64 `yaml:"named" range:"0..1"`
		Announced float64 `yaml:"announced" range:"0..1"`
		Rewritten float64 `yaml:"rewritten" range:"0..1"`
	} `yaml:"confidence"`
	Macros         map[string]string `yaml:"macros"`
	Announcements  []prose.Entry     `yaml:"announcements"`
	AnnounceWords  []string          `yaml:"announce_words"`
	Swaps          []string          `yaml:"swaps"`
	ObjectEnds     rules.Words       `yaml:"object_ends"`
	ObjectWords    rules.Words       `yaml:"object_words"`
	Revising       *pattern.Regexp   `yaml:"revising" pattern:"fold,word,long"`
	Moving         *pattern.Regexp   `yaml:"moving" pattern:"fold,word,long"`
	FailingEffects []string          `yaml:"failing_effects"`
	NeverRun       []string          `yaml:"never_run"`
	FailureTurns   int               `yaml:"failure_turns" range:"0..1000"`
	Twins          *pattern.Regexp   `yaml:"twins" pattern:"long"`
	Generated      *pattern.Regexp   `yaml:"generated" pattern:"long"`
	GeneratedLines int               `yaml:"generated_lines" range:"0..100"`
	IgnoredPaths   *pattern.Regexp   `yaml:"ignored_paths" pattern:"long"`
	Boilerplate    *pattern.Regexp   `yaml:"boilerplate" pattern:"long"`
}

// data is the detector's data, compiled.
type data struct {
	config
	like *duplicate.Measure
}

// instance is the detector: a type for each way to build something again, and one for what excuses it.
type instance struct {
	*data
	announcer
	overlaps
	rewrites
	excuses
}

func compile(set *rules.Set) (*instance, error) {
	d := &data{}
	taken := rules.Take(set, "rebuild", &d.config)
	rules.More(taken, &d.like, duplicate.New)
	if taken.Err != nil {
		return nil, taken.Err
	}
	phrases, err := prose.CompilePhrases(pattern.For(set, "rebuild"), "announcements", d.Macros, d.Announcements)
	return &instance{d, announcer{d, phrases}, overlaps{d}, rewrites{d}, excuses{d}}, err
}

// skips reports whether similarity in a file is meaningless.
func (d *data) skips(path string) bool {
	return path == "" || d.like.ConventionalFile(path) || d.IgnoredPaths.MatchString(path)
}

// machineMade reports whether an edit's first lines say that it was generated.
func (d *data) machineMade(diff *sessionevents.Diff) bool {
	for i, line := range diff.Added() {
		if i >= d.GeneratedLines {
			break
		}
		if d.Generated.MatchString(line.Text) {
			return true
		}
	}
	return false
}

// Judge reports a rebuild as corrected if the repetition is removed or a turn with edits
// does not repeat it, and as committed if it continues (SW-44).
func (d *instance) Judge(p *detect.Pass, s *sessionevents.Signal) (sessionevents.Outcome, string) {
	if s.Subclass == "rewritten" {
		return d.judgeVersion(p, s)
	}
	is := func(list []registry.SegmentItem[registry.Built]) bool {
		for i := range list {
			b := &list[i].Item.Symbol
			if strings.EqualFold(b.Name, s.Subject) || b.Name == "" && len(s.Evidence) > 0 && b.Path == p.Before.Path(s.Evidence[0].Path) {
				return true
			}
		}
		return false
	}
	if is(p.Additions.Removed) {
		return sessionevents.OutcomeCorrected, "one of the two was taken out"
	}
	if is(p.Additions.Built) || is(p.Additions.Edited) {
		return sessionevents.OutcomeCommitted, "it is built on"
	}
	for i := range p.Additions.Diffs {
		if strings.EqualFold(p.Additions.Diffs[i].Item.Path, s.Subject) {
			return sessionevents.OutcomeCommitted, "it is built on"
		}
	}
	if len(p.Additions.Diffs) > 0 || s.Subclass != "announced" {
		return sessionevents.OutcomeCorrected, "not built again"
	}
	return sessionevents.OutcomeOpen, ""
}

// memory is C2's state of a session.
type memory struct {
	// Rebuilds counts how often each thing was rebuilt, oldest first.
	Rebuilds []rebuilt `json:"r,omitempty"`
	// Failures are the newest failed calls.
	Failures []failure `json:"f,omitempty"`
	// Versions counts the complete versions of files written since the last run.
	Versions []version `json:"v,omitempty"`
}

type rebuilt struct {
	Subject string `json:"s"`
	Count   int    `json:"n"`
	Turn    int    `json:"t"` // the last time
	// Said is set if it was last only announced.
	Said bool `json:"a,omitempty"`
}

type failure struct {
	Turn int    `json:"t"`
	Run  bool   `json:"r,omitempty"` // of a test, a build or a program
	Text string `json:"x,omitempty"`
}

// otherInterface is the reason of a signal that is left to A2.
const otherInterface = "another interface: left to A2"

// report turns a candidate into a finding, nil if there is a reason to build it again.
func (d *instance) report(m *memory, t *turn, a *again) *detect.Finding {
	if a.times+1 < d.FloorFrom && d.excused(m, t, a) {
		return nil
	}
	evidence := a.evidence
	evidence.ConflictsWith = &a.earlier
	f := &detect.Finding{
		Subclass: a.subclass, Subject: a.subject, Confidence: a.confidence, ReworkCost: a.cost, SelfCorrect: selfCorrect,
		Evidence: []sessionevents.Evidence{evidence}, Message: a.message, Reason: a.reason,
	}
	switch {
	case a.otherInterface:
		f.Suppressed = otherInterface
	case asked(t, a):
		f.Suppressed = detect.UserDirected
	case a.times+1 >= d.FloorFrom, m.count(a, t.Turn.Turn, d.Kept.Rebuilds) >= d.FloorFrom:
		f.Floor = repeatFloor
	}
	return f
}

// count records a rebuild and returns how many there were. Several in one turn count as
// one, and so do announcements and the act that follows.
func (m *memory) count(a *again, turn, kept int) int {
	at := slices.IndexFunc(m.Rebuilds, func(r rebuilt) bool { return strings.EqualFold(r.Subject, a.subject) })
	if at < 0 {
		m.Rebuilds = text.Newest(append(m.Rebuilds, rebuilt{Subject: a.subject}), kept)
		at = len(m.Rebuilds) - 1
	}
	r := &m.Rebuilds[at]
	if r.Turn != turn && !r.Said {
		r.Count++
	}
	r.Turn, r.Said = turn, a.said
	return r.Count
}

// remember stores the turn's failures for later turns.
func (d *instance) remember(m *memory, p *detect.Pass) {
	for i := range p.Turn.Segments {
		s := &p.Turn.Segments[i]
		if s.Kind != sessionevents.SegmentError || s.Error == nil {
			continue
		}
		f := failure{Turn: p.Turn.Turn, Text: text.Head(s.Path+" "+s.Error.Signature+" "+s.Text, d.Kept.FailureBytes)}
		if s.Tool != nil {
			f.Run = slices.ContainsFunc(s.Tool.Effects, func(e string) bool { return slices.Contains(d.FailingEffects, e) })
		}
		m.Failures = append(m.Failures, f)
	}
	m.Failures = text.Newest(m.Failures, d.Kept.Failures)
}
