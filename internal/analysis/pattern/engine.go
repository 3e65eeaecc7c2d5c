package pattern

import (
	"errors"
	"regexp"
)

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
