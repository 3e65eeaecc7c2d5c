package segment

import (
	"errors"
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
	Limits           Limits   `yaml:"limits"`
	OutputConfidence float64  `yaml:"output_confidence"`
	InjectedTags     []string `yaml:"injected_tags"`
	KeptTags         []string `yaml:"kept_tags"`
	InjectedPrefixes []string `yaml:"injected_prefixes"`
	NotificationTags []string `yaml:"notification_tags"`
	InjectedLines    []string `yaml:"injected_lines"`
	Rejections       []string `yaml:"rejections"`
	Cancelled        []string `yaml:"cancelled"`
	ErrorPrefixes    []string `yaml:"error_prefixes"`
	ExitMarks        []string `yaml:"exit_marks"`
	BodyMarks        []string `yaml:"body_marks"`
	Transient        []string `yaml:"transient"`
	QuotingKinds     []string `yaml:"quoting_kinds"`
	Scratch          []string `yaml:"scratch"`
	TextFences       []string `yaml:"text_fences"`
	DiffFences       []string `yaml:"diff_fences"`
	CodeLine         string   `yaml:"code_line"`
	CallLine         string   `yaml:"call_line"`
	// InstructionFiles are names of files with instructions for agents; InstructionOrder
	// matches a sentence or heading in them that contains an instruction.
	InstructionFiles []string    `yaml:"instruction_files"`
	InstructionOrder string      `yaml:"instruction_order"`
	Pause            PauseConfig `yaml:"pause"`
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
	config     Config
	tools      *toolTable
	shell      *shell.Parser
	checks     *checkrun.Reader
	failures   *failure.Finder
	syntax     Syntax
	tags       map[string]bool // element → whether its content is kept
	textFences map[string]bool
	diffFences map[string]bool
	codeLine   *pattern.Regexp
	callLine   *pattern.Regexp
	order      *pattern.Regexp // of an instruction
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
	from := pattern.For(set, "segment")
	if s.codeLine, err = from.Go("code_line", s.config.CodeLine); err != nil {
		return nil, fmt.Errorf("load segmenter: %w", err)
	}
	if s.callLine, err = from.Go("call_line", s.config.CallLine); err != nil {
		return nil, fmt.Errorf("load segmenter: %w", err)
	}
	if s.order, err = from.Go("instruction_order", "(?i)"+s.config.InstructionOrder); err != nil {
		return nil, fmt.Errorf("load segmenter: %w", err)
	}
	if from.Checks() && s.callLine.NumSubexp() != 2 {
		return nil, from.Fault("call_line", errors.New("it needs two groups, name and arguments"))
	}
	for _, tag := range s.config.InjectedTags {
		s.tags[tag] = false
	}
	for _, tag := range s.config.KeptTags {
		s.tags[tag] = true
	}
	s.textFences, s.diffFences = rules.Lookup(s.config.TextFences), rules.Lookup(s.config.DiffFences)
	return s, nil
}
