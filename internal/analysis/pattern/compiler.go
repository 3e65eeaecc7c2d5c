// Package pattern holds regular expressions that are compiled on first use, so that
// unused expressions cost nothing at start. Tests check the patterns of the embedded
// rules; patterns from a user's file are checked when they are read.
package pattern

import (
	"errors"
	"regexp"
	"strings"

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
