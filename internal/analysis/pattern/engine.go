package pattern

import (
	"regexp"
	"slices"
)

// Expression is what the standard library's expressions and RE2's have in common.
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

// Finder returns the numbers of the patterns of a set that occur in a text.
type Finder interface {
	Find(text string) ([]int, error)
}

// Engine compiles the patterns for long texts.
type Engine struct {
	Compile func(text string) (Expression, error)
	Set     func(texts []string) (Finder, error)
}

// long is the engine of [MustRE2] and [Set]. The standard library finds the same
// as RE2, a hundred times slower over long texts.
var long = Engine{
	Compile: func(text string) (Expression, error) { return regexp.Compile(text) },
	Set:     newList,
}

// Use sets the engine for long texts. Only package internal/analysis/pattern/re2
// calls it, when the program starts.
func Use(e Engine) { long = e }

// list is a set that tries each pattern.
type list []*regexp.Regexp

func newList(texts []string) (Finder, error) {
	var out list
	for _, text := range texts {
		r, err := regexp.Compile(text)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

// Find never fails.
func (l list) Find(text string) (found []int, err error) {
	for i, r := range l {
		if r.MatchString(text) {
			found = append(found, i)
		}
	}
	return slices.Clip(found), nil
}
