package assertion

import (
	"fmt"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/syntax"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Limits of a piece of code.
const (
	maxBytes      = 256 << 10
	maxAssertions = 2000
)

// Reader reads assertions with the names of rules/assertion.yaml. It is safe for
// concurrent use.
type Reader struct {
	calls      map[string]map[string]form // language → name in lower case
	predicates map[string]form
	matchers   map[string]form
	roots      map[string]bool
	words      map[string]bool
	negations  map[string]bool
	helpers    map[string]bool
	broad      map[string]bool
	statements map[string]*pattern.Regexp
	conditions *pattern.Regexp
	failures   *pattern.Regexp
	given      *pattern.Regexp
	tests      map[string]*pattern.Regexp
	masks      map[string]string
	bareCalls  map[string]bool
	blocks     map[string]bool
}

// form describes the arguments of a call.
type form struct {
	Kind     Kind
	Negated  bool
	Operator string
	// Subject and Expected are argument numbers, -1 for none.
	Subject, Expected int
	Receiver          bool // what precedes the call is the subject
	Tolerance         int
	Places            bool // the tolerance is a number of decimal places
	Literal           string
}

type section struct {
	MasksAs    map[string]string          `yaml:"masks_as"`
	BareCalls  []string                   `yaml:"bare_calls"`
	Tests      map[string][]string        `yaml:"tests"`
	Blocks     []string                   `yaml:"blocks_by_indent"`
	Statements map[string]*pattern.Regexp `yaml:"statements" pattern:"lines"`
	Conditions *pattern.Regexp            `yaml:"conditions" pattern:"lines"`
	Failures   *pattern.Regexp            `yaml:"failures"`
	Given      *pattern.Regexp            `yaml:"given" pattern:"lines"`
	Calls      map[string][]string        `yaml:"calls"`
	Predicates []string                   `yaml:"predicates"`
	Matchers   []string                   `yaml:"matchers"`
	Roots      []string                   `yaml:"roots"`
	Words      []string                   `yaml:"chain_words"`
	Negations  []string                   `yaml:"negations"`
	Helpers    []string                   `yaml:"helpers"`
	Broad      []string                   `yaml:"broad_errors"`
}

// New returns a reader for a set of rules.
func New(set *rules.Set) (*Reader, error) {
	var s section
	if err := set.Decode("assertion", &s); err != nil {
		return nil, err
	}
	r := &Reader{
		calls: map[string]map[string]form{}, masks: s.MasksAs, tests: map[string]*pattern.Regexp{}, statements: s.Statements, conditions: s.Conditions, given: s.Given, failures: s.Failures,
		roots: lookup(s.Roots), words: lookup(s.Words), negations: lookup(s.Negations), helpers: lookup(s.Helpers), broad: lookup(s.Broad), blocks: lookup(s.Blocks),
		bareCalls: lookup(s.BareCalls),
	}
	var err error
	for language, list := range s.Calls {
		if r.calls[language], err = forms(list); err != nil {
			return nil, fmt.Errorf("rules assertion, calls of %s: %w", language, err)
		}
	}
	if r.predicates, err = forms(s.Predicates); err != nil {
		return nil, fmt.Errorf("rules assertion, predicates: %w", err)
	}
	if r.matchers, err = forms(s.Matchers); err != nil {
		return nil, fmt.Errorf("rules assertion, matchers: %w", err)
	}
	return r, r.compile(pattern.For(set, "assertion"), &s)
}

func (r *Reader) compile(from pattern.Compiler, s *section) (err error) {
	for language, list := range s.Tests {
		if r.tests[language], err = from.Go("tests", `(?m)^[ \t]*(?:`+strings.Join(list, "|")+`)`); err != nil {
			return err
		}
	}
	return nil
}

func lookup(list []string) map[string]bool {
	out := map[string]bool{}
	for _, w := range list {
		out[strings.ToLower(w)] = true
	}
	return out
}

// Reads reports whether assertions of a language can be read.
func (r *Reader) Reads(language string) bool { return r.tests[language] != nil }

// Read is [Reader.ReadFrom] of code that nobody else reads.
func (r *Reader) Read(language, code string) Reading { return r.ReadFrom(nil, language, code) }

// ReadFrom reads a piece of test code in a language that [syntax.LanguageOf] names, with the
// reader of the turn, nil for none.
func (r *Reader) ReadFrom(from *syntax.Reader, language, code string) Reading {
	if !r.Reads(language) || code == "" || len(code) > maxBytes {
		return Reading{}
	}
	name := language
	if other := r.masks[language]; other != "" {
		name = other
	}
	p := &piece{Reader: r, language: language, code: code, masked: from.Read(name, code).Code()}
	if len(p.masked) != len(code) {
		return Reading{}
	}
	p.declared()
	p.stated()
	p.called()
	p.conditional()
	return p.finish()
}

// piece is a piece of code being parsed.
type piece struct {
	*Reader
	language     string
	code, masked string
	tests        []Test
	found        []placed
	taken        []span // assertions that contain others
}

type placed struct {
	at int
	Assertion
}
