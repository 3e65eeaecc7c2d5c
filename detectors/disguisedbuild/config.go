package disguisedbuild

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/duplicate"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

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
	if err := set.Decode("disguisedbuild", &d.config); err != nil {
		return nil, err
	}
	var err error
	if d.measure, err = duplicate.New(set); err != nil {
		return nil, err
	}
	for _, w := range d.config.Marks.Weak {
		d.marks[w] = weakMark
	}
	for _, w := range d.config.Marks.Strong {
		d.marks[w] = strongMark
	}
	return d, nil
}

// skips reports whether files at a path repeat by design.
func (d *instance) skips(path string) bool {
	return path == "" || d.measure.ConventionalFile(path) || d.Scratch.MatchString(path)
}
