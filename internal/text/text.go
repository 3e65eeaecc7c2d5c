// Package text is the one place that cuts, counts and joins text and bounded lists. What is
// kept is always whole characters; what is foreign is quoted by internal/analysis/quote.
package text

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Mark stands for what was cut off.
const Mark = "…"

// Head returns at most the first limit bytes of s; a character that does not fit is left
// out. A negative limit counts as 0.
func Head(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	limit = max(limit, 0)
	for least := limit - utf8.UTFMax; limit > max(least, 0) && !utf8.RuneStart(s[limit]); {
		limit--
	}
	return s[:limit]
}

// Tail returns at most the last limit bytes of s; a character that does not fit is left out.
// A negative limit counts as 0.
func Tail(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	at := len(s) - max(limit, 0)
	for most := at + utf8.UTFMax; at < min(most, len(s)) && !utf8.RuneStart(s[at]); {
		at++
	}
	return s[at:]
}

// Cut returns s, or its [Head] and [Mark] if it has more than limit bytes. The mark is not
// counted.
func Cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	return Head(s, limit) + Mark
}

// Short returns s, or its beginning and [Mark] if it has more than limit characters. The mark
// is one of them; limit is at least 1.
func Short(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	n, end := 0, 0
	for at := range s {
		if n == limit-1 {
			end = at
		}
		if n++; n > limit {
			return s[:end] + Mark
		}
	}
	return s
}

// Words returns the first limit words of s, with single spaces, and [Mark] if there are more.
func Words(s string, limit int) string {
	words := strings.Fields(s)
	if len(words) <= limit {
		return strings.Join(words, " ")
	}
	return strings.Join(words[:limit], " ") + Mark
}

// Line returns s on one line: each run of white space becomes a space, none is at an end.
func Line(s string) string { return strings.Join(strings.Fields(s), " ") }

// Valid replaces what is not UTF-8 in s, as JSON would.
func Valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// Newest returns the last limit entries of a list in an array of their own, or the list
// itself if it has no more.
func Newest[T any](list []T, limit int) []T {
	if len(list) <= limit {
		return list
	}
	return slices.Clone(list[len(list)-limit:])
}

// Count returns a number with its noun: "1 commit", "2 commits". The plural is given where it
// is not the noun with an s.
func Count(n int, one string, many ...string) string {
	switch {
	case n == 1:
		return "1 " + one
	case len(many) > 0:
		return strconv.Itoa(n) + " " + many[0]
	}
	return strconv.Itoa(n) + " " + one + "s"
}
