package weakenedcheck

import (
	"strings"

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
	Files       map[string][]string `yaml:"files"`
	Kinds       []kind              `yaml:"kinds"`
	Marks       []mark              `yaml:"marks"`
	Numbers     []number            `yaml:"numbers"`
	Formerly    string              `yaml:"formerly"`
	Swallowing  []string            `yaml:"swallowing"`
	Checking    string              `yaml:"checking"`
	Checks      string              `yaml:"checks"`
	Commands    []command           `yaml:"commands"`
	Looks       string              `yaml:"looks"`
	Constraints []constraint        `yaml:"constraints"`
	Asked       []asked             `yaml:"asked"`
	Negation    string              `yaml:"negation"`
	Leading     string              `yaml:"leading"`
	Inflected   string              `yaml:"inflected"`
	Conditional string              `yaml:"conditional"`
	Serious     []string            `yaml:"serious"`
	Answers     string              `yaml:"answers"`
	Attic       string              `yaml:"attic"`
	Table       string              `yaml:"table"`
	Version     string              `yaml:"version"`
	Condition   string              `yaml:"condition"`
	Literal     string              `yaml:"literal"`
	Replaced    string              `yaml:"replaced"`
	Missed      string              `yaml:"missed"`
	Late        string              `yaml:"late"`
	Demands     string              `yaml:"demands"`
	Broken      string              `yaml:"broken"`
	Common      []string            `yaml:"common"`
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
	Kind     string   `yaml:"kind"`
	In       []string `yaml:"in"`
	Comment  bool     `yaml:"comment"`
	Patterns []string `yaml:"patterns"`

	pattern *pattern.Regexp
}

// number is a setting that weakens a check when its number goes up or down.
type number struct {
	Kind       string             `yaml:"kind"`
	Weaker     string             `yaml:"weaker" oneof:"up,down"`
	In         []string           `yaml:"in"`
	LeastRatio float64            `yaml:"least_ratio" range:"1..1000"`
	Patterns   []string           `yaml:"patterns"`
	Defaults   map[string]float64 `yaml:"defaults"`

	patterns []*pattern.Regexp
}

// command is a command line that leaves out or bypasses checks.
type command struct {
	Kind    string `yaml:"kind"`
	Pattern string `yaml:"pattern"`
	Unless  string `yaml:"unless"`

	pattern, unless *pattern.Regexp
}

// constraint is a sentence that protects checks.
type constraint struct {
	ID    string   `yaml:"id"`
	Says  string   `yaml:"says"`
	Kinds []string `yaml:"kinds"`

	says *pattern.Regexp
}

// asked is a sentence that asks for an edit of checks.
type asked struct {
	Says  string   `yaml:"says"`
	Kinds []string `yaml:"kinds"`

	says *pattern.Regexp
}

type instance struct {
	config
	reader     *assertion.Reader
	permission *permission.Reader
	commands   *shell.Parser
	files      []fileClass
	known      *files.Table
	classes    *recall.Table[string] // of files by their paths
	kinds      map[string]*kind
	order      map[string]int
	common     map[string]bool
	swallowing []*pattern.Regexp

	formerly, checking, checks, looks, negation, leading, inflected, conditional, condition, table, version, answers, attic, literal, replaced, missed, late, demands, broken *pattern.Regexp
}

type fileClass struct {
	class   string
	pattern *pattern.Regexp
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
	d := &instance{kinds: map[string]*kind{}, order: map[string]int{}, common: map[string]bool{}, classes: recall.New[string](512, 512)}
	if err := set.Decode("weakenedcheck", &d.config); err != nil {
		return nil, err
	}
	var err error
	if d.reader, err = assertion.New(set); err != nil {
		return nil, err
	}
	if d.commands, err = shell.New(set); err != nil {
		return nil, err
	}
	if d.permission, err = permission.New(set); err != nil {
		return nil, err
	}
	for i := range d.Kinds {
		d.kinds[d.Kinds[i].ID], d.order[d.Kinds[i].ID] = &d.Kinds[i], i
	}
	for _, w := range d.Common {
		d.common[w] = true
	}
	from := pattern.For(set, "weakenedcheck")
	if d.known, err = files.Load(set); err != nil {
		return nil, err
	}
	for _, class := range []string{snapshots, continuous, settings} {
		p, err := from.Go("files."+class, strings.Join(d.Files[class], "|"))
		if err != nil {
			return nil, err
		}
		d.files = append(d.files, fileClass{class, p})
	}
	if err := d.compileMarks(from); err != nil {
		return nil, err
	}
	return d, d.compileWords(from)
}

func (d *instance) compileMarks(from pattern.Compiler) (err error) {
	for i := range d.Marks {
		if d.Marks[i].pattern, err = from.Go("marks", union(d.Marks[i].Patterns)); err != nil {
			return err
		}
	}
	for i := range d.Numbers {
		for _, text := range d.Numbers[i].Patterns {
			p, err := from.Go("numbers", text, "n")
			if err != nil {
				return err
			}
			d.Numbers[i].patterns = append(d.Numbers[i].patterns, p)
		}
	}
	for i := range d.Commands {
		if d.Commands[i].pattern, err = from.Go("commands", d.Commands[i].Pattern); err != nil {
			return err
		}
		if d.Commands[i].Unless != "" {
			if d.Commands[i].unless, err = from.Go("commands", d.Commands[i].Unless); err != nil {
				return err
			}
		}
	}
	for _, text := range d.Swallowing {
		p, err := from.Go("swallowing", text)
		if err != nil {
			return err
		}
		d.swallowing = append(d.swallowing, p)
	}
	return nil
}

// union is one pattern for a list.
func union(list []string) string { return "(?:" + strings.Join(list, ")|(?:") + ")" }

func (d *instance) compileWords(from pattern.Compiler) (err error) {
	for i := range d.Constraints {
		if d.Constraints[i].says, err = from.Go("constraints", "(?i)"+d.Constraints[i].Says); err != nil {
			return err
		}
	}
	for i := range d.Asked {
		if d.Asked[i].says, err = from.Go("asked", "(?i)"+d.Asked[i].Says); err != nil {
			return err
		}
	}
	for _, c := range []struct {
		key, text string
		into      **pattern.Regexp
	}{
		{"formerly", d.Formerly, &d.formerly},
		{"checking", d.Checking, &d.checking},
		{"checks", d.Checks, &d.checks},
		{"looks", d.Looks, &d.looks},
		{"negation", "(?i)" + d.Negation, &d.negation},
		{"conditional", "(?i)" + d.Conditional, &d.conditional},
		{"leading", "(?i)" + d.Leading, &d.leading},
		{"inflected", "(?i)" + d.Inflected, &d.inflected},
		{"answers", d.Answers, &d.answers},
		{"attic", d.Attic, &d.attic},
		{"table", d.Table, &d.table},
		{"version", d.Version, &d.version},
		{"condition", d.Condition, &d.condition},
		{"literal", d.Literal, &d.literal},
		{"replaced", d.Replaced, &d.replaced},
		{"missed", d.Missed, &d.missed},
		{"late", d.Late, &d.late},
		{"demands", d.Demands, &d.demands},
		{"broken", d.Broken, &d.broken},
	} {
		if *c.into, err = from.Go(c.key, c.text); err != nil {
			return err
		}
	}
	return nil
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
	if d.known.Is(path, files.Document) {
		return document
	}
	for _, c := range d.files {
		if c.pattern.MatchString(path) {
			return c.class
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
