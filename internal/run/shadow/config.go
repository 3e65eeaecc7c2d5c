package shadow

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/files"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/shell"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/shadow/reading"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Config is the section "shadow" of the rule data.
type Config struct {
	Actions   []Action      `yaml:"actions"`
	Explorer  Explorer      `yaml:"explorer"`
	Creator   Creator       `yaml:"creator"`
	Maker     Maker         `yaml:"maker"`
	Guardian  Guardian      `yaml:"guardian"`
	Skeptic   Skeptic       `yaml:"skeptic"`
	Trickster Trickster     `yaml:"trickster"`
	Sage      Sage          `yaml:"sage"`
	System    System        `yaml:"system"`
	Context   ContextLimits `yaml:"context"`

	PlanPhases           []string `yaml:"plan_phases"`
	DoPhases             []string `yaml:"do_phases"`
	Approving            []string `yaml:"approving"`
	ApprovingWithRemarks []string `yaml:"approving_with_remarks"`

	Likeness Likeness `yaml:"likeness"`
	Kept     Kept     `yaml:"kept"`

	Documents    *pattern.Regexp `yaml:"documents"`
	Accompanying *pattern.Regexp `yaml:"accompanying"`
	// AbstractionNames matches names of types that are abstractions; AbstractionLists are
	// titles of lists of new ones (RW-2).
	AbstractionNames *pattern.Regexp `yaml:"abstraction_names"`
	AbstractionLists *pattern.Regexp `yaml:"abstraction_lists"`
	FileEndings      []string        `yaml:"file_endings"`
	FileNames        []string        `yaml:"file_names"`
	NoFiles          []string        `yaml:"no_files"`

	Sections   Sections                `yaml:"sections"`
	Severities []reading.SeverityWords `yaml:"severities"`
	// FindingMarkers are patterns of the words that announce one finding each.
	FindingMarkers []string   `yaml:"finding_markers"`
	Words          Words      `yaml:"words"`
	Synonyms       [][]string `yaml:"synonyms"`
	General        []string   `yaml:"general"`

	compiled compiled
}

// Action is the corrective action for a shadow, as given by the specification.
type Action struct {
	ID    string `yaml:"id"`
	Issue string `yaml:"issue"` // archetype/shadow, system/shadow, policy/boundary
	Text  string `yaml:"text"`
}

// compiled holds what is derived from the data.
type compiled struct {
	actions  map[string]Action
	files    *reading.FileNames
	findings *reading.FindingReader
	concerns *concerns
	commands *shell.Parser
	kinds    *files.Table
}

// LoadConfig returns the configuration of a rule set. An error names the file, the
// line and the fix.
func LoadConfig(set *rules.Set) (*Config, error) {
	var c Config
	if err := set.Decode("shadow", &c); err != nil {
		return nil, fmt.Errorf("read shadow configuration: %w", err)
	}
	if !set.Checks("shadow") {
		if err := c.compile(pattern.Trusted); err != nil {
			return nil, fmt.Errorf("read shadow configuration: %w", err)
		}
	}
	var err error
	if c.compiled.commands, err = shell.New(set); err != nil {
		return nil, fmt.Errorf("read shell commands for shadows: %w", err)
	}
	c.compiled.kinds, err = files.Load(set)
	return &c, err
}

// Validate checks what types and ranges do not cover, and compiles the tables.
func (c *Config) Validate() error { return c.compile(pattern.Checked) }

func (c *Config) compile(from pattern.Compiler) error {
	for _, step := range []func(pattern.Compiler) error{c.compileActions, c.compileSections, c.compileWords} {
		if err := step(from); err != nil {
			return err
		}
	}
	c.compiled.concerns = newConcerns(c)
	return nil
}

func (c *Config) compileActions(pattern.Compiler) error {
	c.compiled.actions = map[string]Action{}
	for _, a := range c.Actions {
		if a.Issue == "" || a.Text == "" {
			return &rules.Invalid{Path: []string{"actions", a.ID}, Why: "needs an issue and a text"}
		}
		c.compiled.actions[a.ID] = a
	}
	for _, id := range ruleIDs() {
		if _, ok := c.compiled.actions[id]; !ok {
			return &rules.Invalid{Path: []string{"actions"}, Why: id + " has no action"}
		}
	}
	return nil
}

func (c *Config) compileSections(from pattern.Compiler) error {
	c.compiled.files = &reading.FileNames{Endings: c.FileEndings, Names: c.FileNames, Never: c.NoFiles}
	c.compiled.files.Compile()
	c.compiled.findings = &reading.FindingReader{Markers: c.FindingMarkers, Severities: c.Severities, Files: c.compiled.files, Most: maxFindings, Bytes: c.Kept.FindingBytes, Titles: c.Sections.Findings}
	return c.compiled.findings.Compile(from)
}

// action returns the action for a rule's shadow.
func (c *Config) action(id string) Action { return c.compiled.actions[id] }

func (c *Config) isTest(file string) bool     { return c.compiled.kinds.Is(file, files.AnyTest) }
func (c *Config) isDocument(file string) bool { return c.Documents.MatchString(file) }

// accompanies reports whether a file accompanies other changes without being planned.
func (c *Config) accompanies(file string) bool { return c.Accompanying.MatchString(file) }

// oneOf reports whether a list of lower-case names contains a name, ignoring case.
func oneOf(list []string, name string) bool {
	return slices.Contains(list, strings.ToLower(strings.TrimSpace(name)))
}

// Sections holds the titles that identify the parts of a report.
type Sections struct {
	Recommendation reading.Titles `yaml:"recommendation" pattern:"fold"`
	Synthesis      reading.Titles `yaml:"synthesis" pattern:"fold"`
	Patterns       reading.Titles `yaml:"patterns" pattern:"fold"`
	Findings       reading.Titles `yaml:"findings" pattern:"fold"`
}

// Words holds the word lists of the text heuristics; each has examples, which a test
// reads.
type Words struct {
	Tangents         reading.WordList `yaml:"tangents"`
	Patterns         reading.WordList `yaml:"patterns"`
	Synthesis        reading.WordList `yaml:"synthesis"`
	FutureProof      reading.WordList `yaml:"future_proof"`
	Abstractions     reading.WordList `yaml:"abstractions"`
	NewPackages      reading.WordList `yaml:"new_packages"`
	TestsRun         reading.WordList `yaml:"tests_run"`
	TestOutput       reading.WordList `yaml:"test_output"`
	Fixes            reading.WordList `yaml:"fixes"`
	Compromised      reading.WordList `yaml:"compromised"`
	Alternatives     reading.WordList `yaml:"alternatives"`
	LeftAlone        reading.WordList `yaml:"left_alone"`
	OutsideScope     reading.WordList `yaml:"outside_scope"`
	Impossible       reading.WordList `yaml:"impossible"`
	Imagined         reading.WordList `yaml:"imagined"`
	Repro            reading.WordList `yaml:"repro"`
	Consider         reading.WordList `yaml:"consider"`
	Actions          reading.WordList `yaml:"actions"`
	Documentation    reading.WordList `yaml:"documentation"`
	TrivialFunctions reading.WordList `yaml:"trivial_functions"`
	Reworks          reading.WordList `yaml:"reworks"`
}

// named returns the lists with their names.
func (w *Words) named() []namedList {
	return []namedList{
		{"tangents", &w.Tangents},
		{"patterns", &w.Patterns},
		{"synthesis", &w.Synthesis},
		{"future_proof", &w.FutureProof},
		{"abstractions", &w.Abstractions},
		{"new_packages", &w.NewPackages},
		{"tests_run", &w.TestsRun},
		{"test_output", &w.TestOutput},
		{"fixes", &w.Fixes},
		{"compromised", &w.Compromised},
		{"alternatives", &w.Alternatives},
		{"left_alone", &w.LeftAlone},
		{"outside_scope", &w.OutsideScope},
		{"impossible", &w.Impossible},
		{"imagined", &w.Imagined},
		{"repro", &w.Repro},
		{"consider", &w.Consider},
		{"actions", &w.Actions},
		{"documentation", &w.Documentation},
		{"trivial_functions", &w.TrivialFunctions},
		{"reworks", &w.Reworks},
	}
}

type namedList struct {
	name string
	list *reading.WordList
}

func (c *Config) compileWords(from pattern.Compiler) error {
	for _, l := range c.Words.named() {
		if err := l.list.Compile(from, "words."+l.name); err != nil {
			return err
		}
	}
	return nil
}
