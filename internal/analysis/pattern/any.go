package pattern

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Any matches a text that one of several patterns matches. It searches for the literals of
// all of them in one pass. It is safe for concurrent use.
type Any struct {
	patterns []*Regexp

	filtered sync.Once
	filter   *filter
}

// AnyOf returns an Any of patterns.
func AnyOf(patterns []*Regexp) *Any { return &Any{patterns: patterns} }

// MatchString reports whether one of the patterns matches a part of text.
func (a *Any) MatchString(text string) bool {
	a.filtered.Do(func() {
		all := make([][]clause, len(a.patterns))
		for i, p := range a.patterns {
			all[i] = p.clauses()
		}
		a.filter = newFilter(all)
	})
	if foldsBeyondASCII(text) {
		return slices.ContainsFunc(a.patterns, func(p *Regexp) bool { return p.MatchString(text) })
	}
	for _, i := range a.filter.always {
		if a.patterns[i].MatchString(text) {
			return true
		}
	}
	var few [32]clauseSet // enough for most lists
	seen := few[:]
	if len(a.patterns) > len(few) {
		seen = make([]clauseSet, len(a.patterns))
	}
	found := false
	a.filter.each(text, func(l *literal) bool {
		whole := a.filter.whole[l.pattern]
		if seen[l.pattern] != whole {
			seen[l.pattern] |= l.clause
			found = seen[l.pattern] == whole && a.patterns[l.pattern].matchBegun(text)
		}
		return !found
	})
	return found
}

// Phrases returns the source of a case-insensitive match of any of the phrases, as written, between two
// expressions.
func Phrases(before string, phrases []string, after string) string {
	quoted := make([]string, len(phrases))
	for i, p := range phrases {
		quoted[i] = regexp.QuoteMeta(p)
	}
	return `(?i)` + before + `(?:` + strings.Join(quoted, "|") + `)` + after
}
