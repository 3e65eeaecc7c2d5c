package budget

import (
	"slices"
	"strings"
	"time"
)

// args are the words of an input line.
type args struct {
	bare  []string
	order []string
	pairs map[string]string
}

func (a args) get(key string) string { return a.pairs[key] }

func (a args) has(word string) bool { return slices.Contains(a.bare, word) }

func parseArgs(words []string) args {
	a := args{pairs: map[string]string{}}
	for _, w := range words {
		key, value, ok := strings.Cut(w, "=")
		if !ok {
			a.bare = append(a.bare, w)
			continue
		}
		a.order = append(a.order, key)
		a.pairs[key] = strings.Trim(value, `"`)
	}
	return a
}

// splitWords splits at spaces outside double quotes.
func splitWords(line string) []string {
	quoted := false
	return strings.FieldsFunc(line, func(r rune) bool {
		if r == '"' {
			quoted = !quoted
		}
		return r == ' ' && !quoted
	})
}

// testTime is the time of the n-th input: one minute each.
func testTime(n int) time.Time {
	return time.Date(2026, 1, 1, 0, n, 0, 0, time.UTC)
}
