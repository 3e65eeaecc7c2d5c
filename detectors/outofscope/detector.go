// Package outofscope finds refactoring and restyling of files that the task is not about
// (D1).
package outofscope

import (
	_ "embed"
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/files"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/permission"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

//go:embed doc.md
var doc string

// Detector is the D1 detector.
var Detector = &detect.Detector{
	ID: "D1", Name: "outofscope", Class: sessionevents.ClassD,
	Title: "Refactoring out of scope",
	Doc:   doc, Rules: []string{"D1", "SW-14", "SW-43", "SW-44"},
	New: func(set *rules.Set) (detect.Instance, error) { return compile(set) },
}

// Figures of D1.
const (
	reworkCost  = 2
	selfCorrect = 0.5
	// driftFloor applies while most of the last edits are unrelated.
	driftFloor sessionevents.Urgency = 20
)

// NewState returns an empty memory of what is in scope.
func (*instance) NewState() any { return &memory{} }

// Run follows the turn's segments in order: first the links to files that the task does
// not name, then the edits. It returns nothing unless the scope is limited (SW-14). An
// edit of style is a finding only in files that the task does not reach (SW-43).
func (d *instance) Run(p *detect.Pass) []detect.Finding {
	w := &watch{task: task{d, p.Baseline(), p.Before}, memory: p.State.(*memory), pass: p}
	w.readScope()
	if w.memory.Silent != "" {
		return nil
	}
	w.flags()
	for i := range p.Turn.Segments {
		s := &p.Turn.Segments[i]
		switch {
		case s.Proposed || s.Rejected:
		case s.Kind == sessionevents.SegmentError:
			w.failure(s)
		case s.Kind == sessionevents.SegmentTool:
			w.look(s)
			w.moved(s)
		case s.Kind == sessionevents.SegmentDiff:
			w.edit(s)
		}
	}
	w.prerequisites()
	return w.findings()
}

// watch follows one turn.
type watch struct {
	task
	memory  *memory
	pass    *detect.Pass
	flagged []flag
	outside []change // unrelated changes of this turn
	inside  []string // what this turn's edits in scope add
}

// config is the section outofscope of the rule data, which explains each value.
type config struct {
	MinTerms   int `yaml:"min_terms" range:"1..400"`
	HunkBytes  int `yaml:"hunk_bytes" range:"64..65536"`
	Tokens     int `yaml:"tokens" range:"10..100000"`
	Remembered struct {
		Files int `yaml:"files" range:"4..1024"`
		Names int `yaml:"names" range:"4..1024"`
		Led   int `yaml:"led" range:"4..1024"`
	} `yaml:"remembered"`
	TermsPerHit int `yaml:"terms_per_hit" range:"1..10000"`
	Common      struct {
		Least int     `yaml:"least" range:"1..1000"`
		Share float64 `yaml:"share" range:"0..1"`
	} `yaml:"common_folder"`
	Drift struct {
		Diffs int     `yaml:"diffs" range:"1..64"`
		Least int     `yaml:"least" range:"1..64"`
		Share float64 `yaml:"share" range:"0..1"`
	} `yaml:"drift"`
	Confidence struct {
		Announced float64 `yaml:"announced" range:"0..1"`
		Flagged   float64 `yaml:"flagged" range:"0..1"`
		Style     float64 `yaml:"style" range:"0..1"`
		Edit      float64 `yaml:"edit" range:"0..1"`
		Open      float64 `yaml:"open" range:"0..1"`
	} `yaml:"confidence"`
	Flags           []string        `yaml:"flags"`
	FlagWords       []string        `yaml:"flag_words"`
	General         []string        `yaml:"general"`
	OpenScope       *pattern.Regexp `yaml:"open_scope" pattern:"fold,long"`
	Cleanup         *pattern.Regexp `yaml:"cleanup" pattern:"fold,long"`
	Drops           *pattern.Regexp `yaml:"drops" pattern:"fold,long"`
	NeutralPaths    rules.Words     `yaml:"neutral_paths"`
	NeutralFiles    rules.Words     `yaml:"neutral_files"`
	NeutralSuffixes []string        `yaml:"neutral_suffixes"`
	Beside          *pattern.Regexp `yaml:"beside" pattern:"fold,long"`
	Comments        *pattern.Regexp `yaml:"comments" pattern:"fold,long"`
	Moves           *pattern.Regexp `yaml:"moves" pattern:"fold,long"`
}

// instance is the detector with its data compiled.
type instance struct {
	config
	priming            int // turns in which class D is suppressed anyway (SW-41)
	general, flagWords map[string]bool
	files              *files.Table
	person             *permission.Reader
}

func compile(set *rules.Set) (*instance, error) {
	d := &instance{}
	taken := rules.Take(set, "outofscope", &d.config)
	rules.More(taken, &d.files, files.Load)
	rules.More(taken, &d.person, permission.New)
	rules.More(taken, &d.priming, detect.PrimingTurns)
	d.general, d.flagWords = detect.Stems(d.General), detect.Stems(d.FlagWords)
	return d, taken.Err
}

// Judge reports the extra work as corrected if it is reverted, dropped, requested after
// all, or turns out to be needed by an edit in scope, and as committed if it continues in
// the same file (SW-44).
func (d *instance) Judge(p *detect.Pass, s *sessionevents.Signal) (sessionevents.Outcome, string) {
	w := &watch{task: task{d, p.Baseline(), p.Before}, memory: p.State.(*memory), pass: p}
	name := stem(s.Subject)
	outcome, why := sessionevents.OutcomeOpen, ""
	for i := range p.Turn.Segments {
		segment := &p.Turn.Segments[i]
		switch {
		case segment.Proposed || segment.Rejected:
		case segment.Kind == sessionevents.SegmentUser && mentions(segment.Text, s.Subject, name):
			return sessionevents.OutcomeCorrected, "the user speaks of it"
		case segment.Kind == sessionevents.SegmentPlan && d.Drops.MatchString(segment.Text) && mentions(segment.Text, s.Subject, name):
			outcome, why = sessionevents.OutcomeCorrected, "declared out of scope"
		case segment.Kind == sessionevents.SegmentTool && d.Drops.MatchString(command(segment)) && mentions(command(segment), s.Subject, name):
			outcome, why = sessionevents.OutcomeCorrected, "reverted"
		case segment.Kind == sessionevents.SegmentDiff && segment.Diff != nil && !segment.Diff.Failed:
			if o, reason := w.judgeEdit(segment, s, name); o != sessionevents.OutcomeOpen {
				outcome, why = o, reason
			}
		}
	}
	return outcome, why
}

func (w *watch) judgeEdit(segment *sessionevents.Segment, s *sessionevents.Signal, name string) (sessionevents.Outcome, string) {
	if file := w.pass.Before.Path(segment.Path); file != s.Subject {
		if uses(w.hunkText(segment.Diff), name) && w.belongs(file) {
			return sessionevents.OutcomeCorrected, "an edit in scope needs it"
		}
		return sessionevents.OutcomeOpen, ""
	}
	if w.reverts(segment) {
		return sessionevents.OutcomeCorrected, "reverted"
	}
	return sessionevents.OutcomeCommitted, "edited further"
}

// reverts reports whether an edit removes what the last edit of the file added.
func (w *watch) reverts(segment *sessionevents.Segment) bool {
	earlier := w.pass.Before.DiffsOf(segment.Path)
	if len(earlier) == 0 {
		return false
	}
	last := earlier[len(earlier)-1]
	return slices.ContainsFunc(w.pass.Additions.Diffs, func(d registry.SegmentItem[registry.DiffRecord]) bool {
		return d.Segment == segment.Index && d.Item.RemovedHash == last.AddedHash && d.Item.AddedHash == last.RemovedHash
	})
}

func command(s *sessionevents.Segment) string {
	if s.Tool == nil {
		return ""
	}
	return s.Tool.Command
}

// mentions reports whether a text names the subject or its file.
func mentions(text, subject, name string) bool {
	return strings.Contains(text, path.Base(subject)) || uses(text, name)
}

func uses(text, name string) bool {
	for token := range identifiers(text) {
		if token == name {
			return true
		}
	}
	return false
}
