package codepattern

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
)

// globs matches dotted names against patterns with * (anything) and {a,b}. Most
// patterns are a whole name or "*.name", which need no expression.
type globs struct {
	names      map[string]bool // whole, lower case
	methods    map[string]bool // x of "*.x", lower case
	rest       *pattern.Regexp // the other patterns
	expression *pattern.Regexp // all of them; nil for no pattern
}

func compileGlobs(from pattern.Compiler, patterns []string) (globs, error) {
	if len(patterns) == 0 {
		return globs{}, nil
	}
	g := globs{names: map[string]bool{}, methods: map[string]bool{}}
	var all, rest []string
	for _, p := range patterns {
		all = append(all, globExpression(p))
		if !g.lookUp(expanded(p)) {
			rest = append(rest, globExpression(p)) // keep this form: written out it is slower
		}
	}
	var err error
	if g.expression, err = wholeName(from, all); err != nil {
		return globs{}, fmt.Errorf("pattern of %q: %w", patterns, err)
	}
	if len(rest) > 0 {
		g.rest, err = wholeName(from, rest)
	}
	return g, err
}

// lookUp takes patterns that need no expression; false if one needs it.
func (g globs) lookUp(patterns []string) bool {
	all := true
	for _, p := range patterns {
		method, isMethod := strings.CutPrefix(p, "*.")
		switch {
		case plainName(p):
			g.names[strings.ToLower(p)] = true
		case isMethod && plainName(method) && !strings.Contains(method, "."):
			g.methods[strings.ToLower(method)] = true
		default:
			all = false
		}
	}
	return all
}

func wholeName(from pattern.Compiler, alternatives []string) (*pattern.Regexp, error) {
	return from.Go("", `(?i)^(?:`+strings.Join(alternatives, "|")+`)$`)
}

// expanded writes the lists {a,b} of a pattern out; the pattern itself where they
// are nested or more than two.
func expanded(pattern string) []string {
	before, rest, found := strings.Cut(pattern, "{")
	list, after, closed := strings.Cut(rest, "}")
	if !found || !closed || strings.Contains(list, "{") || strings.Count(after, "{") > 1 {
		return []string{pattern}
	}
	var out []string
	for _, item := range strings.Split(list, ",") {
		out = append(out, expanded(before+item+after)...)
	}
	return out
}

// plainName says that a pattern, or a name, is matched letter by letter.
func plainName(text string) bool {
	for i := range len(text) {
		if c := text[i]; c >= 0x80 || c == '\n' || c == '*' || c == '{' || c == '}' || c == ',' {
			return false
		}
	}
	return true
}

func (g globs) match(name string) bool {
	if g.expression == nil {
		return false
	}
	if !plainName(name) { // matching letters' case follows other rules
		return g.expression.MatchString(name)
	}
	lower := strings.ToLower(name)
	if g.names[lower] {
		return true
	}
	if dot := strings.LastIndexByte(lower, '.'); dot >= 0 && g.methods[lower[dot+1:]] {
		return true
	}
	return g.rest != nil && g.rest.MatchString(name)
}

func globExpression(pattern string) string {
	var b strings.Builder
	for _, r := range pattern {
		switch r {
		case '*':
			b.WriteString(`.*`)
		case '{':
			b.WriteString(`(?:`)
		case '}':
			b.WriteByte(')')
		case ',':
			b.WriteByte('|')
		default:
			b.WriteString(regexp.QuoteMeta(string(r)))
		}
	}
	return b.String()
}

// anyOf joins expressions to one that matches where any does; nil for none.
func anyOf(from pattern.Compiler, before string, list []string) (*pattern.Regexp, error) {
	if len(list) == 0 {
		return nil, nil
	}
	return from.Go("", before+`(?:`+strings.Join(list, "|")+`)`)
}

// overText is anyOf for expressions over whole hunks, where RE2 is a hundred
// times faster.
func overText(from pattern.Compiler, list []string) (*pattern.Regexp, error) {
	if len(list) == 0 {
		return nil, nil
	}
	return from.RE2("", `(?m)(?:`+strings.Join(list, "|")+`)`)
}

func matches(expression *pattern.Regexp, text string) bool {
	return expression != nil && expression.MatchString(text)
}
