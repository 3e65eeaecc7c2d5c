package segment

import (
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/checkrun"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/failure"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/markdown"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/shell"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Config is the section "segment" of the rules; rules/segment.yaml explains each field.
type Config struct {
	Limits           Limits          `yaml:"limits"`
	OutputConfidence float64         `yaml:"output_confidence"`
	InjectedTags     []string        `yaml:"injected_tags"`
	KeptTags         []string        `yaml:"kept_tags"`
	InjectedPrefixes []string        `yaml:"injected_prefixes"`
	NotificationTags []string        `yaml:"notification_tags"`
	InjectedLines    []string        `yaml:"injected_lines"`
	Rejections       []string        `yaml:"rejections"`
	Cancelled        []string        `yaml:"cancelled"`
	ErrorPrefixes    []string        `yaml:"error_prefixes"`
	ExitMarks        []string        `yaml:"exit_marks"`
	BodyMarks        []string        `yaml:"body_marks"`
	Transient        []string        `yaml:"transient"`
	QuotingKinds     []string        `yaml:"quoting_kinds"`
	Scratch          []string        `yaml:"scratch"`
	TextFences       rules.Words     `yaml:"text_fences"`
	DiffFences       rules.Words     `yaml:"diff_fences"`
	CodeLine         *pattern.Regexp `yaml:"code_line"`
	CallLine         *pattern.Regexp `yaml:"call_line"`
	// InstructionFiles are names of files with instructions for agents; InstructionOrder
	// matches a sentence or heading in them that contains an instruction.
	InstructionFiles []string        `yaml:"instruction_files"`
	InstructionOrder *pattern.Regexp `yaml:"instruction_order" pattern:"fold"`
	Pause            PauseConfig     `yaml:"pause"`
}

// Limits bound a segment: in bytes, except for lines of a diff and numbers of segments,
// symbols and values of a symbol's sketch.
type Limits struct {
	Input        int `yaml:"input"`
	DiffInput    int `yaml:"diff_input"`
	Text         int `yaml:"text"`
	DiffLines    int `yaml:"diff_lines"`
	Segments     int `yaml:"segments"`
	Excerpt      int `yaml:"excerpt"`
	ErrorText    int `yaml:"error_text"`
	Signature    int `yaml:"signature"`
	SymbolSource int `yaml:"symbol_source"`
	Symbols      int `yaml:"symbols"`
	MadeSketch   int `yaml:"made_sketch"`
	LearntSketch int `yaml:"learnt_sketch"`
	Instructions int `yaml:"instructions"`
	Instruction  int `yaml:"instruction"`
}

// Validate refuses a line of a call that has not its two groups.
func (c *Config) Validate() error {
	if c.CallLine.NumSubexp() != 2 {
		return &rules.Invalid{Path: []string{"call_line"}, Why: "it requires two groups, name and arguments"}
	}
	return nil
}

// Syntax reads code and Markdown; package grammars contains the implementation that is
// linked.
type Syntax interface {
	// Blocks returns the blocks of Markdown.
	Blocks(text string) []markdown.Block
	// LanguageOf returns the language of a file, LanguageTagged that of a fence's tag; ""
	// if unknown.
	LanguageOf(path string) string
	LanguageTagged(tag string) string
	// Symbols returns the declarations in code, whose first line is firstLine (0 if
	// unknown), with sketches of sketch values.
	Symbols(language, code string, firstLine, sketch int) []sessionevents.Symbol
	// Outline returns the symbols and the modules that code imports.
	Outline(language, code string, firstLine, sketch int) ([]sessionevents.Symbol, []string)
}

// Segmenter cuts turns into segments. It holds no session state and is safe for
// concurrent use.
type Segmenter struct {
	config   Config
	tools    *toolTable
	shell    *shell.Parser
	checks   *checkrun.Reader
	failures *failure.Finder
	syntax   Syntax
	tags     map[string]bool // element → whether its content is kept
}

// New returns a segmenter for the rule data. Without syntax, languages, symbols and
// imports stay empty, and all text is prose.
func New(set *rules.Set, syntax Syntax) (*Segmenter, error) {
	s := &Segmenter{syntax: syntax, tags: map[string]bool{}}
	if err := set.Decode("segment", &s.config); err != nil {
		return nil, fmt.Errorf("load segmenter: %w", err)
	}
	var err error
	if s.tools, err = newToolTable(set); err != nil {
		return nil, err
	}
	if s.shell, err = shell.New(set); err != nil {
		return nil, err
	}
	if s.checks, err = checkrun.New(set, s.shell); err != nil {
		return nil, err
	}
	if s.failures, err = failure.New(set); err != nil {
		return nil, err
	}
	for _, tag := range s.config.InjectedTags {
		s.tags[tag] = false
	}
	for _, tag := range s.config.KeptTags {
		s.tags[tag] = true
	}
	return s, nil
}
