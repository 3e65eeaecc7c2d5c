package pattern

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// Bounds of what is worth looking for.
const (
	shortestLiteral = 3
	mostLiterals    = 64 // of one pattern
	mostExact       = 16 // texts of a part of a pattern
)

// literalsOf are texts of which every match of a pattern contains one, in lower
// case; nil where nothing useful is known.
func literalsOf(pattern string) []string {
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil // RE2 knows more than this package
	}
	found := partOf(parsed.Simplify()).needed()
	if !useful(found) {
		return nil
	}
	return found
}

// part is what is known of a part of a pattern: exact is all that it matches, nil
// if that is too much; required are texts of which a match contains one, nil for
// none known. All are in lower case.
type part struct{ exact, required []string }

// needed is required, or exact in its place.
func (p part) needed() []string {
	if p.exact != nil {
		return p.exact
	}
	return p.required
}

func partOf(re *syntax.Regexp) part {
	switch re.Op {
	case syntax.OpLiteral:
		return literalPart(re)
	case syntax.OpCharClass:
		return classPart(re)
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return part{exact: []string{""}}
	case syntax.OpCapture:
		return partOf(re.Sub[0])
	case syntax.OpPlus:
		return part{required: partOf(re.Sub[0]).needed()}
	case syntax.OpQuest:
		if sub := partOf(re.Sub[0]); sub.exact != nil {
			return part{exact: merged(sub.exact, []string{""})}
		}
	case syntax.OpConcat:
		return concatPart(re.Sub)
	case syntax.OpAlternate:
		return alternatePart(re.Sub)
	}
	return part{}
}

func literalPart(re *syntax.Regexp) part {
	text := string(re.Rune)
	if re.Flags&syntax.FoldCase != 0 && !ascii(text) {
		return part{} // letters' case has rules of its own
	}
	return part{exact: []string{lowerASCII(text)}}
}

func classPart(re *syntax.Regexp) part {
	var texts []string
	for i := 0; i < len(re.Rune); i += 2 {
		for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
			if len(texts) == mostExact {
				return part{}
			}
			texts = append(texts, lowerASCII(string(r)))
		}
	}
	return part{exact: merged(texts, nil)}
}

// concatPart follows exact texts as far as they are few, and keeps the best of
// the runs.
func concatPart(subs []*syntax.Regexp) part {
	run, whole := []string{""}, true
	var best []string
	keep := func(texts []string) {
		if better(texts, best) {
			best = texts
		}
	}
	for _, sub := range subs {
		p := partOf(sub)
		if p.exact != nil && len(p.exact)*len(run) <= mostExact {
			run = crossed(run, p.exact)
			continue
		}
		keep(run)
		keep(p.needed())
		run, whole = []string{""}, false
		if p.exact != nil {
			run = p.exact
		}
	}
	if whole {
		return part{exact: run}
	}
	keep(run)
	return part{required: best}
}

func alternatePart(subs []*syntax.Regexp) part {
	var all []string
	exact := true
	for _, sub := range subs {
		p := partOf(sub)
		needed := p.needed()
		if needed == nil {
			return part{}
		}
		exact = exact && p.exact != nil
		all = merged(all, needed)
	}
	if exact && len(all) <= mostExact {
		return part{exact: all}
	}
	return part{required: all}
}

// better prefers texts whose shortest is longer, then fewer of them.
func better(a, b []string) bool {
	if !useful(a) {
		return false
	}
	if x, y := shortest(a), shortest(b); x != y {
		return x > y
	}
	return len(a) < len(b)
}

func useful(texts []string) bool {
	return len(texts) > 0 && len(texts) <= mostLiterals && shortest(texts) >= shortestLiteral
}

func shortest(texts []string) int {
	if len(texts) == 0 {
		return 0
	}
	return len(slices.MinFunc(texts, func(a, b string) int { return len(a) - len(b) }))
}

func crossed(a, b []string) []string {
	out := make([]string, 0, len(a)*len(b))
	for _, x := range a {
		for _, y := range b {
			out = append(out, x+y)
		}
	}
	return merged(out, nil)
}

// merged is both, sorted, each once.
func merged(a, b []string) []string {
	out := slices.Concat(a, b)
	slices.Sort(out)
	return slices.Compact(out)
}

func ascii(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

// lowerASCII leaves letters beyond ASCII as they are.
func lowerASCII(text string) string {
	out := []byte(text)
	for i, c := range out {
		out[i] = lower[c]
	}
	return string(out)
}

// lower is each byte, capital ASCII letters in lower case.
var lower = func() (table [256]byte) {
	for i := range table {
		table[i] = byte(i)
		if i >= 'A' && i <= 'Z' {
			table[i] += 'a' - 'A'
		}
	}
	return table
}()
