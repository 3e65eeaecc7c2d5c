package shadow

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/shell"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/shadow/reading"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Config is the section "shadow" of the rule data.
type Config struct {
	Actions   []Action  `yaml:"actions"`
	Explorer  Explorer  `yaml:"explorer"`
	Creator   Creator   `yaml:"creator"`
	Maker     Maker     `yaml:"maker"`
	Guardian  Guardian  `yaml:"guardian"`
	Skeptic   Skeptic   `yaml:"skeptic"`
	Trickster Trickster `yaml:"trickster"`
	Sage      Sage      `yaml:"sage"`
	System    System    `yaml:"system"`
	Context   Context   `yaml:"context"`

	PlanPhases           []string `yaml:"plan_phases"`
	DoPhases             []string `yaml:"do_phases"`
	Approving            []string `yaml:"approving"`
	ApprovingWithRemarks []string `yaml:"approving_with_remarks"`

	Likeness Likeness `yaml:"likeness"`
	Kept     Kept     `yaml:"kept"`

	Tests       []string `yaml:"tests"`
	Documents   []string `yaml:"documents"`
	FileEndings []string `yaml:"file_endings"`
	FileNames   []string `yaml:"file_names"`
	NoFiles     []string `yaml:"no_files"`

	Sections   Sections                `yaml:"sections"`
	Severities []reading.SeverityWords `yaml:"severities"`
	// FindingMarkers are patterns of the words that announce one finding each.
	FindingMarkers []string   `yaml:"finding_markers"`
	Words          Words      `yaml:"words"`
	Synonyms       [][]string `yaml:"synonyms"`
	General        []string   `yaml:"general"`

	compiled compiled
}

// Action is what is said of a shadow: the corrective action, as it stands in the
// specification.
type Action struct {
	ID    string `yaml:"id"`
	Issue string `yaml:"issue"` // archetype/shadow, system/shadow, policy/boundary
	Text  string `yaml:"text"`
}

// compiled is what is made of the data.
type compiled struct {
	actions          map[string]Action
	tests, documents *regexp.Regexp
	files            *reading.FileNames
	findings         *reading.FindingReader
	recommendation   reading.Titles
	synthesis        reading.Titles
	patterns         reading.Titles
	concerns         *concerns
	commands         *shell.Parser
}

// LoadConfig reads and checks the data; an error names file, line and the cure.
func LoadConfig(set *rules.Set) (*Config, error) {
	var c Config
	if err := set.Decode("shadow", &c); err != nil {
		return nil, fmt.Errorf("read shadow configuration: %w", err)
	}
	var err error
	if c.compiled.commands, err = shell.New(set); err != nil {
		return nil, fmt.Errorf("read shell commands for shadows: %w", err)
	}
	return &c, nil
}

// Validate checks what types and ranges do not, and makes the tables ready; rule
// data are checked by it when they are read.
func (c *Config) Validate() error {
	for _, step := range []func() error{c.compileActions, c.compilePaths, c.compileSections, c.compileWords} {
		if err := step(); err != nil {
			return err
		}
	}
	c.compiled.concerns = newConcerns(c)
	return nil
}

func (c *Config) compileActions() error {
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

func (c *Config) compilePaths() error {
	var err error
	if c.compiled.tests, err = regexp.Compile(strings.Join(c.Tests, "|")); err != nil {
		return &rules.Invalid{Path: []string{"tests"}, Why: err.Error()}
	}
	if c.compiled.documents, err = regexp.Compile(strings.Join(c.Documents, "|")); err != nil {
		return &rules.Invalid{Path: []string{"documents"}, Why: err.Error()}
	}
	c.compiled.files = &reading.FileNames{Endings: c.FileEndings, Names: c.FileNames, Never: c.NoFiles}
	c.compiled.files.Compile()
	return nil
}

func (c *Config) compileSections() error {
	titles := func(name string, patterns []string, into *reading.Titles) error {
		var err error
		if *into, err = reading.CompileTitles(patterns); err != nil {
			return &rules.Invalid{Path: []string{"sections", name}, Why: err.Error()}
		}
		return nil
	}
	reader := &reading.FindingReader{Markers: c.FindingMarkers, Severities: c.Severities, Files: c.compiled.files, Most: maxFindings, Bytes: c.Kept.FindingBytes}
	for _, one := range []error{
		titles("recommendation", c.Sections.Recommendation, &c.compiled.recommendation),
		titles("synthesis", c.Sections.Synthesis, &c.compiled.synthesis),
		titles("patterns", c.Sections.Patterns, &c.compiled.patterns),
		titles("findings", c.Sections.Findings, &reader.Titles),
	} {
		if one != nil {
			return one
		}
	}
	c.compiled.findings = reader
	if err := reader.Compile(); err != nil {
		return &rules.Invalid{Path: []string{"severities"}, Why: err.Error()}
	}
	return nil
}

// action is what is said of a rule's shadow.
func (c *Config) action(id string) Action { return c.compiled.actions[id] }

func (c *Config) isTest(file string) bool     { return c.compiled.tests.MatchString(file) }
func (c *Config) isDocument(file string) bool { return c.compiled.documents.MatchString(file) }

// oneOf compares a name in any case with a list of names in small letters.
func oneOf(list []string, name string) bool {
	return slices.Contains(list, strings.ToLower(strings.TrimSpace(name)))
}
