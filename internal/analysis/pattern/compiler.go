// Package pattern holds regular expressions that are compiled on first use, so that
// unused expressions cost nothing at start. Tests check the patterns of the embedded
// rules; patterns from a user's file are checked when they are read.
package pattern

import (
	"errors"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Compiler compiles the patterns of one section of rule data. It checks the patterns of a
// section that a user's file changes immediately, and trusts the others.
type Compiler struct {
	set     *rules.Set
	section string
	check   bool
}

// Checked is the compiler for a section's Validate method. Its errors are
// [rules.Invalid], so that they name file and line.
var Checked = Compiler{check: true}

// Trusted is the compiler for data that has been checked.
var Trusted = Compiler{}

// For returns the compiler of a section. Its errors name file, line and key.
func For(set *rules.Set, section string) Compiler {
	return Compiler{set, section, set.Checks(section)}
}

// Checks reports whether the section's data must be checked.
func (c Compiler) Checks() bool { return c.check }

// Go returns a pattern for short texts from the value of key, such as "confidence.named".
// It must have the named groups.
func (c Compiler) Go(key, text string, groups ...string) (*Regexp, error) {
	return c.regexp(key, Must(text), groups)
}

// RE2 is Go for long texts.
func (c Compiler) RE2(key, text string, groups ...string) (*Regexp, error) {
	return c.regexp(key, MustRE2(text), groups)
}

func (c Compiler) regexp(key string, r *Regexp, groups []string) (*Regexp, error) {
	if !c.check {
		return r, nil
	}
	if err := verify(r, groups); err != nil {
		return nil, c.Fault(key, err)
	}
	return r, nil
}

// Set returns a set of patterns from the values under key.
func (c Compiler) Set(key string, texts []string) (*Set, error) {
	for _, text := range texts {
		if _, err := c.RE2(key, text); err != nil {
			return nil, err
		}
	}
	return newSet(texts), nil
}

// Fault returns an error about the value of key.
func (c Compiler) Fault(key string, err error) error {
	bad := &rules.Invalid{Path: strings.Split(key, "."), Why: err.Error()}
	if c.set == nil {
		return bad
	}
	return c.set.Fault(c.section, bad)
}

// Expression is the interface that the standard library's expressions and RE2's share.
type Expression interface {
	MatchString(string) bool
	FindString(string) string
	FindStringIndex(string) []int
	FindStringSubmatch(string) []string
	FindStringSubmatchIndex(string) []int
	FindAllString(string, int) []string
	FindAllStringIndex(string, int) [][]int
	FindAllStringSubmatch(string, int) [][]string
	FindAllStringSubmatchIndex(string, int) [][]int
	ReplaceAllString(src, replacement string) string
	ReplaceAllStringFunc(src string, replace func(string) string) string
	Split(string, int) []string
	NumSubexp() int
	SubexpIndex(string) int
	SubexpNames() []string
}

// Finder returns the indexes of the patterns of a set that occur in a text, in order. It
// fails if the text needs more memory than allowed.
type Finder interface {
	Find(text string) ([]int, error)
}

// Engine compiles the patterns for long texts. If Set fails, the patterns are matched one
// by one.
type Engine struct {
	Compile func(text string) (Expression, error)
	Set     func(texts []string) (Finder, error)
}

// long is the engine of [MustRE2] and [Set]. The standard library finds the same matches
// as RE2, a hundred times slower over long texts.
var long = Engine{
	Compile: func(text string) (Expression, error) { return regexp.Compile(text) },
	Set:     func([]string) (Finder, error) { return nil, errors.ErrUnsupported },
}

// Use sets the engine for long texts. Only package internal/analysis/pattern/re2 calls
// it, at program start.
func Use(e Engine) { long = e }

const (
	// fewPatterns is the number of patterns up to which they are matched one by one; more
	// are matched in a single pass.
	fewPatterns = 3
	// worthCompiling is the number of texts with this many candidates after which all
	// patterns are compiled into one, which costs as much as matching a few of them a
	// thousand times.
	worthCompiling = 1024
)

// Set finds which of many patterns occur in a text. Nothing is compiled before it is
// needed: most texts contain no literal of any pattern. It is safe for concurrent use.
type Set struct {
	patterns []*Regexp

	filtered sync.Once
	filter   *filter
	wanted   atomic.Int64 // texts with more than a few candidates
	compiled sync.Once
	all      Finder
	err      error
}

func newSet(texts []string) *Set {
	s := &Set{patterns: make([]*Regexp, len(texts))}
	for i, text := range texts {
		s.patterns[i] = MustRE2(text)
	}
	return s
}

// Pattern returns the pattern with an index.
func (s *Set) Pattern(i int) *Regexp { return s.patterns[i] }

// Candidates returns the indexes of the patterns that could occur in text, in order.
func (s *Set) Candidates(text string) []int {
	s.filtered.Do(func() {
		all := make([][]clause, len(s.patterns))
		for i, p := range s.patterns {
			all[i] = p.clauses()
		}
		s.filter = newFilter(all)
	})
	return s.filter.candidates(text)
}

// Find returns the indexes of the patterns that occur in text, in order.
func (s *Set) Find(text string) []int {
	candidates := s.Candidates(text)
	if len(candidates) > fewPatterns && s.wanted.Add(1) > worthCompiling {
		if found, err := s.findAll(text); err == nil {
			return found
		} // the text needs more memory than a set may have, or RE2 is not linked
	}
	var out []int
	for _, i := range candidates {
		if s.patterns[i].compiled().MatchString(text) {
			out = append(out, i)
		}
	}
	return out
}

// findAll matches all patterns in one pass. It fails if the engine cannot.
func (s *Set) findAll(text string) ([]int, error) {
	s.compiled.Do(func() {
		texts := make([]string, len(s.patterns))
		for i, p := range s.patterns {
			texts[i] = p.text
		}
		s.all, s.err = long.Set(texts)
	})
	if s.err != nil {
		return nil, s.err
	}
	return s.all.Find(text)
}
