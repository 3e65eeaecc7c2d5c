package assertion

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

var (
	truths   = []string{"true", "True", "TRUE"}
	lies     = []string{"false", "False", "FALSE"}
	nothings = []string{"None", "null", "nil", "undefined", "NULL"}
	empties  = []string{`""`, "[]", "{}", "()", "set()", "dict()", "list()"}
)

// Number returns the value of a numeric literal: 1_000, -2.5, 85.0, 10L.
func Number(text string) (float64, bool) {
	text = strings.ReplaceAll(strings.TrimSpace(text), "_", "")
	if text == "" || strings.ContainsAny(text, "xXnNpP") {
		return 0, false
	}
	text = strings.TrimRight(text, "fFdDlLmMuU")
	for _, suffix := range []string{"i32", "i64", "u32", "u64", "usize"} {
		text = strings.TrimSuffix(text, suffix)
	}
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil && !math.IsInf(v, 0)
}

// Literal reports whether an expression is a literal value: a number, a string, a list or
// map, a boolean, nil.
func Literal(text string) bool {
	if text == "" {
		return false
	}
	if _, is := Number(text); is {
		return true
	}
	text = strings.TrimLeft(text, "&")
	switch c := strings.TrimLeft(text, "bruf@$"); {
	case strings.HasPrefix(c, `"`):
		return strings.HasSuffix(c, `"`) && !strings.Contains(c[1:], `"+`)
	case strings.HasPrefix(text, "["), strings.HasPrefix(text, "{"):
		return true
	}
	return slices.Contains(truths, text) || slices.Contains(lies, text) || slices.Contains(nothings, text) || slices.Contains(empties, text)
}

// sameValue reports whether two expected values are equal: 85.0 and 85, "a" and 'a'.
func sameValue(a, b string) bool {
	if a == b {
		return true
	}
	x, first := Number(a)
	y, second := Number(b)
	return first && second && x == y
}
