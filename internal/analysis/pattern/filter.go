package pattern

import "strings"

// filter finds literals in a text, whatever the case of its ASCII letters: a table
// over three bytes at a time, small enough for the processor's nearest cache.
type filter struct {
	table    [4096]uint16 // hash of three bytes → index of a bucket, 0 for none
	buckets  [][]literal
	patterns int
	always   []int // patterns without literals
}

// literal is a text in lower case that a pattern needs.
type literal struct {
	text    string
	pattern int
}

// newFilter is for patterns by their literals, nil for one that has none.
func newFilter(literals [][]string) *filter {
	f := &filter{buckets: make([][]literal, 1), patterns: len(literals)}
	for i, texts := range literals {
		if texts == nil {
			f.always = append(f.always, i)
		}
		for _, text := range texts {
			at := &f.table[hash(uint32(text[0])<<16|uint32(text[1])<<8|uint32(text[2]))]
			if *at == 0 {
				*at = uint16(len(f.buckets))
				f.buckets = append(f.buckets, nil)
			}
			f.buckets[*at] = append(f.buckets[*at], literal{text, i})
		}
	}
	return f
}

// hash spreads three bytes over the table.
func hash(three uint32) uint32 { return (three * 0x9E3779B1) >> 20 }

// each calls found with the patterns of which a literal occurs, until it returns
// false; a pattern may come several times.
func (f *filter) each(text string, found func(pattern int) bool) {
	if len(text) < shortestLiteral {
		return
	}
	three := uint32(lower[text[0]])<<8 | uint32(lower[text[1]])
	for i := 2; i < len(text); i++ {
		three = (three<<8 | uint32(lower[text[i]])) & 0xFFFFFF
		at := f.table[hash(three)]
		if at == 0 {
			continue
		}
		for _, l := range f.buckets[at] {
			if startsWith(text[i-2:], l.text) && !found(l.pattern) {
				return
			}
		}
	}
}

// any reports whether a literal occurs, or could.
func (f *filter) any(text string) bool {
	occurs := false
	f.each(text, func(int) bool {
		occurs = true
		return false
	})
	return occurs || foldsBeyondASCII(text)
}

// candidates are the patterns that text could match, in order.
func (f *filter) candidates(text string) []int {
	out := f.always
	if foldsBeyondASCII(text) {
		out = make([]int, f.patterns)
		for i := range out {
			out[i] = i
		}
		return out
	}
	f.each(text, func(pattern int) bool {
		out = inserted(out, pattern)
		return true
	})
	return out
}

// inserted is a sorted list with n in it, which it never shares with list.
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

// startsWith reports whether text starts with a literal, whatever its case.
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

// foldsBeyondASCII reports whether text has one of the two letters beyond ASCII
// that a pattern without regard to case takes for k and s.
func foldsBeyondASCII(text string) bool {
	return strings.Contains(text, "\u212a") || strings.Contains(text, "\u017f")
}
