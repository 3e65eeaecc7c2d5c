package pattern

import (
	"math/bits"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// filter finds the clauses of patterns in a text, ignoring the case of ASCII letters: a
// table over three bytes at a time, small enough for the processor's nearest cache.
type filter struct {
	table   []uint16 // hash of three bytes → index of a bucket, 0 for none
	shift   uint32   // of a hash to the size of the table
	buckets [][]literal
	whole   []clauseSet // by pattern: all its clauses; 0 for one without
	always  []int       // patterns without clauses
}

// clauseSet is some of the clauses of one pattern.
type clauseSet uint8

// literal is a lower-case text and the clause that it fulfils.
type literal struct {
	text    string
	pattern int
	clause  clauseSet
}

// Bits of the size of a table.
const (
	smallTable = 7
	largeTable = 12
	bitsOfHash = 32
)

// newFilter returns a filter for patterns, given their clauses.
func newFilter(patterns [][]clause) *filter {
	literals := 0
	for _, of := range patterns {
		for _, c := range of {
			literals += len(c)
		}
	}
	size := min(max(smallTable, bits.Len(uint(16*literals))), largeTable)
	f := &filter{table: make([]uint16, 1<<size), shift: uint32(bitsOfHash - size), buckets: make([][]literal, 1), whole: make([]clauseSet, len(patterns))}
	for i, of := range patterns {
		if len(of) == 0 {
			f.always = append(f.always, i)
		}
		for n, c := range of {
			f.whole[i] |= 1 << n
			for _, text := range c {
				f.add(literal{text, i, 1 << n})
			}
		}
	}
	return f
}

func (f *filter) add(l literal) {
	at := &f.table[f.hash(uint32(l.text[0])<<16|uint32(l.text[1])<<8|uint32(l.text[2]))]
	if *at == 0 {
		*at = uint16(len(f.buckets))
		f.buckets = append(f.buckets, nil)
	}
	f.buckets[*at] = append(f.buckets[*at], l)
}

// hash distributes three bytes over the table.
func (f *filter) hash(three uint32) uint32 { return (three * 0x9E3779B1) >> f.shift }

// each calls found with the literals that occur, possibly more than once, until it
// returns false.
func (f *filter) each(text string, found func(*literal) bool) {
	if len(text) < shortestLiteral {
		return
	}
	three := uint32(lower[text[0]])<<8 | uint32(lower[text[1]])
	for i := 2; i < len(text); i++ {
		three = (three<<8 | uint32(lower[text[i]])) & 0xFFFFFF
		at := f.table[f.hash(three)]
		if at == 0 {
			continue
		}
		bucket := f.buckets[at]
		for n := range bucket {
			if startsWith(text[i-2:], bucket[n].text) && !found(&bucket[n]) {
				return
			}
		}
	}
}

// first reports whether the first pattern could match: its clauses occur, or may occur.
func (f *filter) first(text string) bool {
	var seen clauseSet
	f.each(text, func(l *literal) bool {
		seen |= l.clause
		return seen != f.whole[0]
	})
	return seen == f.whole[0] || foldsBeyondASCII(text)
}

// candidates returns the patterns that could match text, in order.
func (f *filter) candidates(text string) []int {
	out := f.always
	if foldsBeyondASCII(text) {
		out = make([]int, len(f.whole))
		for i := range out {
			out[i] = i
		}
		return out
	}
	var few [32]clauseSet // enough for most sets
	seen := few[:0]
	f.each(text, func(l *literal) bool {
		if len(seen) == 0 {
			seen = append(seen, make([]clauseSet, len(f.whole))...)
		}
		if seen[l.pattern] |= l.clause; seen[l.pattern] == f.whole[l.pattern] {
			out = inserted(out, l.pattern)
		}
		return true
	})
	return out
}

// inserted returns a sorted list with n added, which never shares memory with list.
func inserted(list []int, n int) []int {
	at := 0
	for at < len(list) && list[at] < n {
		at++
	}
	if at < len(list) && list[at] == n {
		return list
	}
	out := make([]int, 0, len(list)+4)
	return append(append(append(out, list[:at]...), n), list[at:]...)
}

// startsWith reports whether text starts with a literal, ignoring case.
func startsWith(text, literal string) bool {
	if len(text) < len(literal) {
		return false
	}
	for i := shortestLiteral - 1; i < len(literal); i++ { // the hash of the first three may collide
		if lower[text[i]] != literal[i] {
			return false
		}
	}
	return lower[text[0]] == literal[0] && lower[text[1]] == literal[1]
}

// foldsBeyondASCII reports whether text contains one of the two letters beyond ASCII that
// a case-insensitive pattern matches for k and s.
func foldsBeyondASCII(text string) bool {
	return strings.Contains(text, "\u212a") || strings.Contains(text, "\u017f")
}

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
