package outofscope

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// kindOf returns what an update does to a file's code, with the detail of a rename.
func (d *instance) kindOf(diff *sessionevents.Diff) (kind, string) {
	removed, added := texts(diff.Removed()), texts(diff.Added())
	if diff.Truncated > 0 || len(removed)+len(added) == 0 {
		return kindEdit, ""
	}
	oldCode, newCode := d.code(removed), d.code(added)
	switch {
	case len(oldCode)+len(newCode) == 0:
		return kindComments, ""
	case slices.Equal(removed, added):
		return kindMove, "" // lines that only move
	case squeezed(removed) == squeezed(added):
		return kindReformat, ""
	case slices.Equal(oldCode, newCode):
		return kindComments, ""
	case sameLines(oldCode, newCode):
		return kindMove, ""
	}
	if from, to, ok := d.renamed(strings.Join(oldCode, "\n"), strings.Join(newCode, "\n")); ok {
		return kindRename, from + " → " + to
	}
	return kindEdit, ""
}

func texts(lines []sessionevents.Line) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = strings.TrimRight(l.Text, " \t\r")
	}
	return out
}

// code returns the lines that contain more than a comment, without indentation.
func (d *instance) code(lines []string) []string {
	var out []string
	for _, l := range lines {
		if l = strings.TrimSpace(l); l != "" && !d.Comments.MatchString(l) {
			out = append(out, l)
		}
	}
	return out
}

// squeezed returns code without what formatters change: blanks, the style of quotes,
// trailing commas, semicolons and parentheses around one expression.
func squeezed(lines []string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" \t\n\r\"'`,;()", r) {
			return -1
		}
		return r
	}, strings.Join(lines, ""))
}

// sameLines reports whether two texts have the same lines in another order.
func sameLines(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	a, b = slices.Clone(a), slices.Clone(b)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}

// renamed reports whether the tokens differ only in identifiers that are consistently renamed, one
// new name for each. Of several, all but one (the declared one) must occur twice: swapping an
// identifier used once changes what code does. It returns the first.
func (d *instance) renamed(before, after string) (from, to string, ok bool) {
	a, b := tokens(before), tokens(after)
	if len(a) != len(b) || len(a) > d.Tokens {
		return "", "", false
	}
	names, taken, times := map[string]string{}, map[string]string{}, map[string]int{}
	for i := range a {
		name, known := names[a[i]]
		switch {
		case known && name != b[i], taken[b[i]] != "" && taken[b[i]] != a[i]:
			return "", "", false // unchanged here, or two become one
		case a[i] != b[i] && (!isName(a[i]) || !isName(b[i])):
			return "", "", false
		case !known:
			names[a[i]], taken[b[i]] = b[i], a[i]
			if a[i] != b[i] && from == "" {
				from, to = a[i], b[i]
			}
		}
		times[a[i]]++
	}
	changed, once := 0, 0
	for old, name := range names {
		if old != name {
			changed++
			if times[old] == 1 {
				once++
			}
		}
	}
	return from, to, changed == 1 || changed > 1 && once <= 1
}

// tokens returns names and single other characters, without blanks.
func tokens(s string) []string {
	var out []string
	for i := 0; i < len(s); {
		n := 1
		for text.IsName(s[i]) && i+n < len(s) && text.IsName(s[i+n]) {
			n++
		}
		if s[i] > ' ' {
			out = append(out, s[i:i+n])
		}
		i += n
	}
	return out
}

func isName(token string) bool {
	return text.IsName(token[0]) && (token[0] < '0' || token[0] > '9') && !keywords[token]
}

// keywords change what code does, so swapping them is not a rename.
var keywords = map[string]bool{
	"true": true, "false": true, "True": true, "False": true, "nil": true, "null": true, "None": true, "undefined": true, "and": true, "or": true,
	"not": true, "if": true, "else": true, "for": true, "while": true, "return": true, "async": true, "await": true,
	"const": true, "let": true, "var": true, "public": true, "private": true, "protected": true, "static": true,
	"in": true, "is": true, "break": true, "continue": true, "yield": true, "try": true, "except": true, "catch": true,
}
