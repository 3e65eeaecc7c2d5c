package weakenedcheck

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/assertion"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/files"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/permission"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/recall"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/shell"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

type config struct {
	Limits struct {
		Failures      int `yaml:"failures" range:"1..256"`
		FailureBytes  int `yaml:"failure_bytes" range:"64..65536"`
		Files         int `yaml:"files" range:"1..1024"`
		Assertions    int `yaml:"assertions" range:"1..10000"`
		Names         int `yaml:"names" range:"16..100000"`
		RecentTurns   int `yaml:"recent_turns" range:"1..10000"`
		SnapshotTurns int `yaml:"snapshot_turns" range:"1..1000"`
	} `yaml:"limits"`
	Files       map[string]*pattern.Regexp `yaml:"files"`
	Kinds       []kind                     `yaml:"kinds"`
	Marks       []mark                     `yaml:"marks"`
	Numbers     []number                   `yaml:"numbers"`
	Formerly    *pattern.Regexp            `yaml:"formerly"`
	Swallowing  []*pattern.Regexp          `yaml:"swallowing"`
	Checking    *pattern.Regexp            `yaml:"checking"`
	Checks      *pattern.Regexp            `yaml:"checks" pattern:"long"`
	Commands    []command                  `yaml:"commands"`
	Looks       *pattern.Regexp            `yaml:"looks"`
	Constraints []constraint               `yaml:"constraints"`
	Asked       []asked                    `yaml:"asked"`
	Rearranges  []asked                    `yaml:"rearranges"`
	Repairs     *pattern.Regexp            `yaml:"repairs"`
	Mismatched  *pattern.Regexp            `yaml:"mismatched" pattern:"group=name"`
	Replaces    []*pattern.Regexp          `yaml:"replaces" pattern:"group=of,group=name"`
	Negation    *pattern.Regexp            `yaml:"negation" pattern:"fold"`
	Leading     *pattern.Regexp            `yaml:"leading" pattern:"fold"`
	Inflected   *pattern.Regexp            `yaml:"inflected" pattern:"fold"`
	Conditional *pattern.Regexp            `yaml:"conditional" pattern:"fold"`
	Serious     []string                   `yaml:"serious"`
	Answers     *pattern.Regexp            `yaml:"answers"`
	Attic       *pattern.Regexp            `yaml:"attic"`
	Table       *pattern.Regexp            `yaml:"table"`
	Version     *pattern.Regexp            `yaml:"version"`
	Condition   *pattern.Regexp            `yaml:"condition"`
	Literal     *pattern.Regexp            `yaml:"literal"`
	Replaced    *pattern.Regexp            `yaml:"replaced"`
	Missed      *pattern.Regexp            `yaml:"missed"`
	Late        *pattern.Regexp            `yaml:"late"`
	Demands     *pattern.Regexp            `yaml:"demands"`
	Broken      *pattern.Regexp            `yaml:"broken"`
	Common      rules.Words                `yaml:"common"`
}

// kind is a way in which a check is weakened.
type kind struct {
	ID      string `yaml:"id"`
	Blatant bool   `yaml:"blatant"` // counts though nothing failed before
	Own     bool   `yaml:"own"`     // counts for tests that this session wrote
	Said    string `yaml:"said"`
	Advice  string `yaml:"advice"`
}

// mark is something in an added line that weakens a check.
type mark struct {
	Kind     string          `yaml:"kind"`
	In       []string        `yaml:"in"`
	Comment  bool            `yaml:"comment"`
	Patterns *pattern.Regexp `yaml:"patterns"`
}

// number is a setting that weakens a check when its number goes up or down.
type number struct {
	Kind       string             `yaml:"kind"`
	Weaker     string             `yaml:"weaker" oneof:"up,down"`
	In         []string           `yaml:"in"`
	LeastRatio float64            `yaml:"least_ratio" range:"1..1000"`
	Patterns   []*pattern.Regexp  `yaml:"patterns" pattern:"group=n"`
	Defaults   map[string]float64 `yaml:"defaults"`
}

// command is a command line that leaves out or bypasses checks.
type command struct {
	Kind    string          `yaml:"kind"`
	Pattern *pattern.Regexp `yaml:"pattern"`
	Unless  *pattern.Regexp `yaml:"unless" pattern:"optional"`
}

// constraint is a sentence that protects checks.
type constraint struct {
	ID    string          `yaml:"id"`
	Says  *pattern.Regexp `yaml:"says" pattern:"fold"`
	Kinds []string        `yaml:"kinds"`
}

// asked is a sentence that asks for an edit of checks.
type asked struct {
	Says  *pattern.Regexp `yaml:"says" pattern:"fold"`
	Kinds []string        `yaml:"kinds"`
}

type instance struct {
	config
	reader     *assertion.Reader
	permission *permission.Reader
	commands   *shell.Parser
	known      *files.Table
	classes    *recall.Table[string] // of files by their paths
	kinds      map[string]*kind
	order      map[string]int
}

// Classes of files; any other file that holds code is source.
const (
	document   = "document"
	snapshots  = "snapshot"
	continuous = "ci"
	settings   = "settings"
	fixtures   = "fixture"
	tests      = "test"
	source     = "source"
)

func compile(set *rules.Set) (*instance, error) {
	d := &instance{kinds: map[string]*kind{}, order: map[string]int{}, classes: recall.New[string](512, 512)}
	taken := rules.Take(set, "weakenedcheck", &d.config)
	rules.More(taken, &d.reader, assertion.New)
	rules.More(taken, &d.commands, shell.New)
	rules.More(taken, &d.permission, permission.New)
	rules.More(taken, &d.known, files.Load)
	for i := range d.Kinds {
		d.kinds[d.Kinds[i].ID], d.order[d.Kinds[i].ID] = &d.Kinds[i], i
	}
	return d, taken.Err
}

// classOf is the class of a file, "" for one that holds no code.
func (d *instance) classOf(path, language string) string {
	if class := d.classes.Of(path, d.classByName); class != "" {
		return class
	}
	if language == "" || language == "json" || language == "yaml" || language == "toml" || language == "markdown" || language == "text" {
		return ""
	}
	return source
}

// classByName is the first class that a path is of: documents, what decides about checks, what tests read,
// tests.
func (d *instance) classByName(path string) string {
	if d.known.Is(path, files.Document) && !d.known.Is(path, files.Configuration) { // CMakeLists.txt
		return document
	}
	for _, class := range []string{snapshots, continuous, settings} {
		if of := d.Files[class]; of != nil && of.MatchString(path) {
			return class
		}
	}
	switch {
	case d.known.Is(path, files.Fixture):
		return fixtures
	case d.known.Is(path, files.Test):
		return tests
	}
	return ""
}
