package syntax

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
)

// maxBases bounds the bases of one class.
const maxBases = 8

// extends matches the clauses of a class's head that name its bases, except Python's list
// in parentheses.
var extends = pattern.Must(`\b(?:extends|implements)\s+([^{]+?)(?:\s+(?:implements|permits)\b|$)|^\s*<\s*([\w:]+)`)

// typeArguments matches <T> and [T] after a name.
var typeArguments = pattern.Must(`<[^<>]*>|\[[^\[\]]*\]`)

// bases returns the names of what a class extends or implements, as written, without type
// arguments; none for other declarations.
func (l *language) bases(code string, c *candidate) []string {
	if c.form.Kind != "class" && c.form.Kind != "interface" || c.headEnd <= c.nameEnd {
		return nil
	}
	head := strings.TrimSpace(code[c.nameEnd:c.headEnd])
	if l.Block == "indent" {
		return named(strings.TrimSuffix(strings.TrimPrefix(strings.TrimRight(head, ": "), "("), ")"))
	}
	var out []string
	for {
		m := extends.FindStringSubmatchIndex(head)
		if m == nil || len(out) >= maxBases {
			return out[:min(len(out), maxBases)]
		}
		group := 2
		if m[2] < 0 {
			group = 4
		}
		out = append(out, named(head[m[group]:m[group+1]])...)
		head = head[m[group+1]:]
	}
}

// named returns the names in a list, without keyword arguments and calls.
func named(list string) []string {
	for typeArguments.MatchString(list) {
		list = typeArguments.ReplaceAllString(list, "")
	}
	var out []string
	for part := range strings.SplitSeq(list, ",") {
		part = strings.TrimSpace(part)
		if part != "" && !strings.ContainsAny(part, "=() \n") && !slices.Contains(out, part) && len(out) < maxBases {
			out = append(out, part)
		}
	}
	return out
}
