// Package assertion reads what pieces of test code check, and compares two readings: it
// distinguishes an equality from a presence check, a number from a wider tolerance, and
// an expected value from another one (E2).
//
// A piece need not be a whole file. Comments and strings are masked by package syntax;
// calls, conditions and chains are then parsed with a scanner that only matches brackets,
// so that it works on fragments in which a grammar finds only errors, and without cgo.
// The names that frameworks use are data (rules/assertion.yaml).
package assertion

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/code"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/syntax"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Kind is what an assertion requires of its subject.
type Kind string

// Kinds of assertions.
const (
	Equal    Kind = "equality"
	Close    Kind = "equality within a tolerance"
	Snapshot Kind = "a stored snapshot"
	Length   Kind = "a length"
	Null     Kind = "no value"
	Empty    Kind = "emptiness"
	Contains Kind = "a part"
	Matches  Kind = "a pattern"
	Throws   Kind = "an error"
	Order    Kind = "a bound"
	True     Kind = "truth"
	False    Kind = "falsehood"
	Unequal  Kind = "inequality"
	Type     Kind = "a type"
	NotEmpty Kind = "that it is not empty"
	Present  Kind = "presence"
	NoThrow  Kind = "that nothing is thrown"
	Called   Kind = "a call"
	Trivial  Kind = "nothing"
)

// ranks order the kinds by how much they require of the same subject.
var ranks = map[Kind]int{
	Equal: 6, Snapshot: 6, Close: 5, Length: 5, Null: 5, Empty: 5, Contains: 4, Matches: 4, Throws: 4,
	Order: 3, True: 3, False: 3, Called: 3, Unequal: 2, Type: 2, NotEmpty: 2, Present: 1, NoThrow: 1, Trivial: 0,
}

// Assertion is one thing that a test checks.
type Assertion struct {
	Kind     Kind
	Subject  string // what is checked, with normalized blanks
	Expected string // what it is compared with, "" if nothing
	// Tolerance is what [Close] allows, absolute or relative; -1 is the framework's
	// default.
	Tolerance float64
	// Operator is the operator of an [Order]: "<", "<=", ">" or ">=".
	Operator string
	// Either holds the keys of alternative conditions, one of which is sufficient: "a ==
	// 1 or b".
	Either []string
	Test   string // the test that contains it, "" if the piece does not show it
	Line   int    // from 0 within the piece
	Text   string // as written, on one line

	origin string // the expression that the subject stands for if it is a variable, "" if unknown
}

// key returns what identifies equal assertions.
func (a *Assertion) key() string {
	return string(a.Kind) + "\x00" + a.Subject + "\x00" + a.Operator + "\x00" + a.Expected
}

// Same reports whether two assertions check the same.
func Same(a, b *Assertion) bool { return a.key() == b.key() && a.Tolerance == b.Tolerance }

// Test is a test that a piece declares.
type Test struct {
	Name string
	Line int // of its head, from 0
	// Body reports whether lines of it are in the piece. Asserts is the number of its
	// assertions.
	Body    bool
	Asserts int
	indent  int
}

// Reading holds what a piece of test code checks.
type Reading struct {
	Assertions []Assertion
	Tests      []Test
}

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
	p := &piece{source: source{Reader: r, language: language, code: code, masked: from.Read(name, code).Code()}}
	if len(p.masked) != len(code) {
		return Reading{}
	}
	p.declared()
	p.stated()
	p.called()
	p.conditional()
	return p.finish()
}

// source is code whose expressions are read.
type source struct {
	*Reader
	language     string
	code, masked string
}

// piece is a piece of code whose assertions are collected.
type piece struct {
	source
	tests []Test
	found []placed
	taken []span // assertions that contain others
}

type placed struct {
	at int
	Assertion
}

// finish assigns each assertion to the test that contains it.
func (p *piece) finish() Reading {
	slices.SortStableFunc(p.found, func(a, b placed) int { return cmp.Compare(a.at, b.at) })
	out := Reading{Tests: p.tests}
	for _, f := range p.found {
		a := oneOf(f.Assertion)
		if k := p.testAt(a.Line); k >= 0 {
			a.Test = out.Tests[k].Name
			out.Tests[k].Asserts++
		}
		out.Assertions = append(out.Assertions, a)
	}
	p.origins(out.Assertions)
	return out
}

// testAt returns the innermost test whose head is above a line, -1 for none.
func (p *piece) testAt(line int) int {
	for k := len(p.tests) - 1; k >= 0; k-- {
		if p.tests[k].Line <= line {
			return k
		}
	}
	return -1
}

// oneOf converts a list that must contain a value into that value, as one of several.
func oneOf(a Assertion) Assertion {
	if a.Kind == Contains && Literal(a.Subject) && strings.HasPrefix(a.Subject, "[") && a.Expected != "" && !Literal(a.Expected) {
		a.Kind, a.Subject, a.Expected = Matches, a.Expected, a.Subject
	}
	return a
}

// origins sets what the subjects that are variables of the piece stand for.
func (p *piece) origins(list []Assertion) {
	if len(list) == 0 {
		return
	}
	values := map[string]string{}
	for _, m := range p.Reader.given.FindAllStringSubmatchIndex(p.masked, -1) {
		name := p.masked[m[2]:m[3]]
		value := strings.TrimRight(p.text(code.Between(m[4], m[5])), "; ")
		if other, twice := values[name]; twice && other != value {
			value = "" // it is unknown which of them is checked
		}
		values[name] = value
	}
	for i := range list {
		list[i].origin = values[list[i].Subject]
	}
}

// traced replaces a subject that is a variable by its expression if the other side checks
// exactly that: moving an expression into a variable does not change a check.
func traced(list, others []Assertion) []Assertion {
	out := slices.Clone(list)
	for i := range out {
		a := &out[i]
		if a.origin != "" && slices.ContainsFunc(others, func(b Assertion) bool { return b.Subject == a.origin }) {
			a.Subject = a.origin
		}
	}
	return out
}
