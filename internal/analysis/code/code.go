// Package code reads pieces of code byte by byte: names, brackets and what is
// within them. It knows no language. Most functions take code whose comments and strings package
// syntax has blanked, so that the brackets they meet are real and offsets stay the same.
package code

import (
	"iter"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// Span is a range of bytes.
type Span struct{ From, To int }

// Between returns a range.
func Between(from, to int) Span { return Span{from, to} }

// IsName reports whether a byte may be part of a name in some language: letters, digits,
// "_", "$" and whatever is not ASCII.
func IsName(c byte) bool {
	return c == '$' || text.IsName(c)
}

// End returns the first offset from at on whose byte is of another kind.
func End(text string, at int, is func(byte) bool) int {
	for at < len(text) && is(text[at]) {
		at++
	}
	return at
}

// LineStart returns where the line of an offset begins.
func LineStart(text string, at int) int { return strings.LastIndexByte(text[:at], '\n') + 1 }

// LineEnd returns where the line of an offset ends: its newline, or the text's end.
func LineEnd(text string, at int) int {
	if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i
	}
	return len(text)
}

// Find returns the offset of a name that is not part of a longer one, from an offset on; -1
// if there is none, or for no name.
func Find(text, name string, from int) int {
	for name != "" {
		at := strings.Index(text[from:], name)
		if at < 0 {
			break
		}
		at += from
		from = at + len(name)
		if (at == 0 || !IsName(text[at-1])) && (from == len(text) || !IsName(text[from])) {
			return at
		}
	}
	return -1
}

// Holds reports whether a text contains a name that is not part of a longer one.
func Holds(text, name string) bool { return Find(text, name, 0) >= 0 }

// Depths yields the offsets of a range with the depth of brackets at each. A bracket has the
// depth outside of it; the depth is negative after one that nothing opened.
func Depths(masked string, s Span) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		depth := 0
		for i := s.From; i < s.To; i++ {
			inner := depth
			switch masked[i] {
			case '(', '[', '{':
				inner++
			case ')', ']', '}':
				depth--
				inner = depth
			}
			if !yield(i, depth) {
				return
			}
			depth = inner
		}
	}
}

// Balance returns how many brackets of a piece are left open.
func Balance(masked string) int {
	open := 0
	for i := range len(masked) {
		switch masked[i] {
		case '(', '[', '{':
			open++
		case ')', ']', '}':
			open--
		}
	}
	return open
}

// Closing returns the offset of the bracket that closes the one at at, or the text's end
// if the piece was cut.
func Closing(masked string, at int) int {
	for i, depth := range Depths(masked, Span{at, len(masked)}) {
		if depth < 0 || depth == 0 && i > at && strings.IndexByte(")]}", masked[i]) >= 0 {
			return i
		}
	}
	return len(masked)
}

// Opening returns the offset of the bracket that the one at at closes, -1 for none.
func Opening(masked string, at int) int {
	depth := 0
	for i := at; i >= 0; i-- {
		switch masked[i] {
		case ')', ']', '}':
			depth++
		case '(', '[', '{':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// Trim returns a range without white space around it and semicolons at its end.
func Trim(masked string, s Span) Span {
	for s.From < s.To && text.IsBlank(masked[s.From]) {
		s.From++
	}
	for s.To > s.From && (text.IsBlank(masked[s.To-1]) || masked[s.To-1] == ';') {
		s.To--
	}
	return s
}

// Split cuts a range at the separators outside brackets and trims the parts. Where the last
// one is empty, it is left out.
func Split(masked string, s Span, separators string) []Span {
	var out []Span
	start := s.From
	for i, depth := range Depths(masked, s) {
		if depth == 0 && strings.IndexByte(separators, masked[i]) >= 0 {
			out, start = append(out, Trim(masked, Span{start, i})), i+1
		}
	}
	if last := Trim(masked, Span{start, s.To}); last.To > last.From {
		out = append(out, last)
	}
	return out
}

// Operator returns the length of the first of the operators found at an offset of a
// range, 0 for none. One that is a word does not
// count within a longer one.
func Operator(masked string, at int, s Span, operators []string) int {
	k := slices.IndexFunc(operators, func(o string) bool { return strings.HasPrefix(masked[at:s.To], o) })
	if k < 0 {
		return 0
	}
	n := len(operators[k])
	if IsName(operators[k][0]) && (at > s.From && IsName(masked[at-1]) || at+n < s.To && IsName(masked[at+n])) {
		return 0
	}
	return n
}
