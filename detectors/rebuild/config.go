package rebuild

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/duplicate"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

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

// instance is the detector with its data compiled.
type instance struct {
	config
	announcements *prose.Phrases
	like          *duplicate.Measure
}

func compile(set *rules.Set) (*instance, error) {
	d := &instance{}
	if err := set.Decode("rebuild", &d.config); err != nil {
		return nil, err
	}
	var err error
	from := pattern.For(set, "rebuild")
	if d.announcements, err = prose.CompilePhrases(from, "announcements", d.Macros, d.Announcements); err != nil {
		return nil, err
	}
	if d.like, err = duplicate.New(set); err != nil {
		return nil, err
	}
	return d, nil
}

// skips reports whether similarity in a file is meaningless.
func (d *instance) skips(path string) bool {
	return path == "" || d.like.ConventionalFile(path) || d.IgnoredPaths.MatchString(path)
}

// machineMade reports whether an edit's first lines say that it was generated.
func (d *instance) machineMade(diff *sessionevents.Diff) bool {
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
