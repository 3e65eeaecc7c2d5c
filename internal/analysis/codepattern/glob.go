package codepattern

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
)

// globs matches dotted names against patterns with * (anything) and {a,b}. Most
// patterns are a whole name or end in a whole part of one, which are looked up.
type globs struct {
	names      map[string]bool       // whole, lower case
	methods    map[string]bool       // x of "*.x", lower case
	endings    map[string][]wildcard // by the last part of the name, lower case
	wild       []wildcard            // whose last part is open
	rest       *pattern.Regexp       // the other patterns
	expression *pattern.Regexp       // all of them; nil for no pattern
}

// wildcard is a pattern cut at its stars, lower case.
type wildcard []string

// match reports whether the pieces occur in a name one after the other, the first at its beginning
// and the last at its end.
func (w wildcard) match(name string) bool {
	name, ok := strings.CutPrefix(name, w[0])
	if !ok {
		return false
	}
	for _, piece := range w[1 : len(w)-1] {
		i := strings.Index(name, piece)
		if i < 0 {
			return false
		}
		name = name[i+len(piece):]
	}
	return strings.HasSuffix(name, w[len(w)-1])
}

func compileGlobs(from pattern.Compiler, patterns []string) (globs, error) {
	if len(patterns) == 0 {
		return globs{}, nil
	}
	g := globs{names: map[string]bool{}, methods: map[string]bool{}, endings: map[string][]wildcard{}}
	var all, rest []string
	for _, p := range patterns {
		all = append(all, globExpression(p))
		if !g.compile(expanded(p)) {
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

// compile takes patterns that need no expression; false if one needs it.
func (g *globs) compile(patterns []string) bool {
	all := true
	for _, p := range patterns {
		lower := strings.ToLower(p)
		method, isMethod := strings.CutPrefix(lower, "*.")
		cut := wildcard(strings.Split(lower, "*"))
		last := cut[len(cut)-1]
		switch {
		case plainName(p):
			g.names[lower] = true
		case !plainName(strings.ReplaceAll(p, "*", "")):
			all = false
		case isMethod && plainName(method) && !strings.Contains(method, "."):
			g.methods[method] = true
		case strings.Contains(last, "."):
			last = last[strings.LastIndexByte(last, '.')+1:]
			g.endings[last] = append(g.endings[last], cut)
		default:
			g.wild = append(g.wild, cut)
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
	if dot := strings.LastIndexByte(lower, '.'); dot >= 0 {
		last := lower[dot+1:]
		if g.methods[last] || slices.ContainsFunc(g.endings[last], func(w wildcard) bool { return w.match(lower) }) {
			return true
		}
	}
	if slices.ContainsFunc(g.wild, func(w wildcard) bool { return w.match(lower) }) {
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
