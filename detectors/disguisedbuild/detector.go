// Package disguisedbuild finds new functions, types and files that are a change
// of existing ones in disguise: FooV2 beside Foo, a copy with one case more (A3).
package disguisedbuild

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/duplicate"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

//go:embed doc.md
var doc string

// Detector is the A3 detector.
var Detector = &detect.Detector{
	ID: "A3", Name: "disguisedbuild", Class: sessionevents.ClassA,
	Title: "A modification disguised as a new build",
	Doc:   doc, Rules: []string{"A3", "SW-1", "SW-10", "SW-11", "SW-41a", "SW-44"},
	New: func(set *rules.Set) (detect.Instance, error) { return compile(set) },
}

// Figures of A3.
const (
	cost                                  = 3
	costDuplicated                        = 4 // the new one repeats the old one's control flow or data handling
	selfCorrect                           = 0.5
	selfCorrectRead                       = 0.7
	queueFloor      sessionevents.Urgency = 20
)

// memory holds the things for which a second version was announced. It is bounded.
type memory struct {
	Announced []announced `json:"a,omitempty"`
}

type announced struct {
	Name string `json:"s"`
	Turn int    `json:"n"`
}

// NewState returns an empty memory of announcements.
func (*instance) NewState() any { return &memory{} }

// Run examines new symbols, new files, then what PLAN announces (RF05).
func (d *instance) Run(p *detect.Pass) []detect.Finding {
	t := &turn{instance: d, Pass: p, memory: p.State.(*memory)}
	list := (&names{t}).find()
	list = append(list, (&copies{t}).find(list)...)
	said := &account{t}
	var out []detect.Finding
	for _, group := range said.fresh(list) {
		out = append(out, said.report(group))
	}
	return append(out, (&plans{t}).find(list)...)
}

// turn is one turn being compared with what there was.
type turn struct {
	*instance
	*detect.Pass
	memory *memory
}

// nameOnly is the reason for only logging a twin that is recognized by its name alone.
const nameOnly = "nothing but the name says so"

// otherHead is the reason for only logging a twin whose name is about more than the old
// one's.
const otherHead = "its name is about something else"

// twin is a new thing and the existing one that it varies or duplicates.
type twin struct {
	segment    int
	symbol     sessionevents.Symbol // a file has its path as name and kind "file"
	old        duplicate.Candidate
	subclass   string // variant, second, file
	mark       string // the word that marks a variant, "" if none
	confidence float64
	duplicated bool // the new one contains the old one's body
	// logOnly is the reason why the finding is only logged; "" if it may fire.
	logOnly string
}

// config is the section disguisedbuild of the rule data, which explains each value.
type config struct {
	Marks struct {
		Strong []string `yaml:"strong"`
		Weak   []string `yaml:"weak"`
	} `yaml:"marks"`
	Constructors  []string        `yaml:"constructors"`
	Paired        rules.Words     `yaml:"paired"`
	Body          float64         `yaml:"body" range:"0..1"`
	Sample        int             `yaml:"sample" range:"1..64"`
	BodyShingles  int             `yaml:"body_shingles" range:"1..64"`
	Calls         float64         `yaml:"calls" range:"0..1"`
	LeastCalls    int             `yaml:"least_calls" range:"1..16"`
	Signature     float64         `yaml:"signature" range:"0..1"`
	Covers        float64         `yaml:"covers" range:"0..1"`
	WeakBody      float64         `yaml:"weak_body" range:"0..1"`
	WeakCalls     float64         `yaml:"weak_calls" range:"0..1"`
	Cases         rules.Words     `yaml:"cases"`
	AskedMarks    *pattern.Regexp `yaml:"asked_marks" pattern:"long"`
	FamilyMembers int             `yaml:"family_members" range:"1..50"`
	SmallLines    int             `yaml:"small_lines" range:"1..10000"`
	Confidence    struct {
		Strong    float64 `yaml:"strong" range:"0..1"`
		Confirmed float64 `yaml:"confirmed" range:"0..1"`
		Weak      float64 `yaml:"weak" range:"0..1"`
		Second    float64 `yaml:"second" range:"0..1"`
		File      float64 `yaml:"file" range:"0..1"`
		Announced float64 `yaml:"announced" range:"0..1"`
		Doubtful  float64 `yaml:"doubtful" range:"0..1"`
	} `yaml:"confidence"`
	Named          int             `yaml:"named" range:"1..10"`
	AnnouncedKept  int             `yaml:"announced_kept" range:"1..1000"`
	AnnouncedTurns int             `yaml:"announced_turns" range:"0..1000"`
	Object         *pattern.Regexp `yaml:"object" pattern:"group=name"`
	Reported       *pattern.Regexp `yaml:"reported" pattern:"long"`
	Leaving        *pattern.Regexp `yaml:"leaving" pattern:"long"`
	Turning        *pattern.Regexp `yaml:"turning" pattern:"long"`
	Scratch        *pattern.Regexp `yaml:"scratch" pattern:"long"`
	ByDesign       *pattern.Regexp `yaml:"by_design" pattern:"long"`
	ByDesignLines  int             `yaml:"by_design_lines" range:"0..100"`
}

// mark is how strongly a word marks a variant.
type mark int

const (
	noMark mark = iota
	weakMark
	strongMark
)

// instance is the detector with its data compiled.
type instance struct {
	config
	measure *duplicate.Measure
	marks   map[string]mark
}

func compile(set *rules.Set) (*instance, error) {
	d := &instance{marks: map[string]mark{}}
	taken := rules.Take(set, "disguisedbuild", &d.config)
	rules.More(taken, &d.measure, duplicate.New)
	for _, w := range d.config.Marks.Weak {
		d.marks[w] = weakMark
	}
	for _, w := range d.config.Marks.Strong {
		d.marks[w] = strongMark
	}
	return d, taken.Err
}

// skips reports whether files at a path repeat by design.
func (d *instance) skips(path string) bool {
	return path == "" || d.measure.ConventionalFile(path) || d.Scratch.MatchString(path)
}

// Judge reports a second version as corrected if one of the two is removed, the existing
// one is changed, or the plan returns to it, and as committed if a DIFF builds on the new
// one (SW-44).
func (d *instance) Judge(p *detect.Pass, s *sessionevents.Signal) (sessionevents.Outcome, string) {
	if len(s.Evidence) == 0 || s.Evidence[0].ConflictsWith == nil {
		return sessionevents.OutcomeOpen, ""
	}
	file, old := p.Before.Path(s.Evidence[0].Path), s.Evidence[0].ConflictsWith
	name, _, _ := strings.Cut(s.Subject, " (session ")
	if s.Subclass == "announced" {
		return d.judgeAnnounced(p, old)
	}
	switch {
	case detect.Among(p.Additions.Removed, name, file):
		return sessionevents.OutcomeCorrected, "the second version was removed"
	case detect.Among(p.Additions.Removed, old.What, old.Path):
		return sessionevents.OutcomeCorrected, "the first version was removed"
	case d.builtOn(p, file, name, old.Path):
		return sessionevents.OutcomeCommitted, "an edit builds on the second version"
	case detect.Among(p.Additions.Edited, old.What, old.Path):
		return sessionevents.OutcomeCorrected, "the existing one is changed"
	case d.turnsTo(p, base(old.What)):
		return sessionevents.OutcomeCorrected, "the plan names the existing one"
	}
	return sessionevents.OutcomeOpen, ""
}

// judgeAnnounced returns the outcome of an announcement.
func (d *instance) judgeAnnounced(p *detect.Pass, old *sessionevents.EarlierEvent) (sessionevents.Outcome, string) {
	words := similarity.Words(base(old.What))
	for i := range p.Additions.Built {
		s := &p.Additions.Built[i].Item.Symbol
		if s.Name != old.What && (d.special(similarity.Words(s.Name), words) || d.special(similarity.Words(stem(s.Path)), words) && s.Path != old.Path) {
			return sessionevents.OutcomeCommitted, "the second version is being built"
		}
	}
	switch {
	case touched(p, &sessionevents.Symbol{Path: old.Path}):
		return sessionevents.OutcomeCorrected, "the existing one is changed"
	case d.turnsTo(p, base(old.What)):
		return sessionevents.OutcomeCorrected, "the plan names the existing one"
	}
	return sessionevents.OutcomeOpen, ""
}

// builtOn reports whether an applied edit changes the new thing's file or uses its name.
func (d *instance) builtOn(p *detect.Pass, file, name, old string) bool {
	for i := range p.Additions.Diffs {
		record := &p.Additions.Diffs[i]
		if file != "" && record.Item.Path == file && file != old {
			return true
		}
		for _, line := range p.Turn.Segments[record.Segment].Diff.Added() {
			if strings.Contains(line.Text, base(name)) && name != old {
				return true
			}
		}
	}
	return false
}

// turnsTo reports whether a sentence of the plan mentions the existing thing as existing.
func (d *instance) turnsTo(p *detect.Pass, name string) bool {
	return slices.ContainsFunc(p.Additions.Sentences, func(s registry.Sentence) bool {
		return strings.Contains(s.Text, name) && d.Turning.MatchString(s.Text)
	})
}

// base returns the name that people and imports use for a symbol or a file.
func base(name string) string {
	if strings.ContainsAny(name, "/.") {
		return stem(name)
	}
	return name
}
