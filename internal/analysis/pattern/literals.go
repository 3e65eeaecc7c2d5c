package pattern

import (
	"cmp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// Bounds for useful literals.
const (
	shortestLiteral = 3
	mostLiterals    = 256 // of one pattern
	mostExact       = 16  // texts of a part of a pattern
	mostClauses     = 4
)

// clause is a list of lower-case texts, one of which every match of a pattern contains.
type clause []string

// clausesOf returns the clauses of a pattern, the best first; none if no useful ones are
// known.
func clausesOf(pattern string) []clause {
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil // RE2 supports more than this package
	}
	return bestOf(partOf(parsed.Simplify()).needed())
}

// bestOf returns the few most selective clauses.
func bestOf(all []clause) []clause {
	all = slices.DeleteFunc(all, func(c clause) bool { return !useful(c) })
	if len(all) == 0 {
		return nil
	}
	slices.SortStableFunc(all, func(a, b clause) int {
		return cmp.Or(cmp.Compare(shortest(b), shortest(a)), cmp.Compare(len(a), len(b)))
	})
	all = slices.CompactFunc(all, func(a, b clause) bool { return slices.Equal(a, b) })
	return all[:min(len(all), mostClauses)]
}

// part is what is known about a part of a pattern: exact is everything that it matches,
// nil if that is too much; required are clauses that all hold for a match.
type part struct {
	exact    clause
	required []clause
}

// needed returns required, or exact in its place.
func (p part) needed() []clause {
	if p.exact != nil {
		return []clause{p.exact}
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
		return part{exact: clause{""}}
	case syntax.OpCapture:
		return partOf(re.Sub[0])
	case syntax.OpPlus:
		return part{required: partOf(re.Sub[0]).needed()}
	case syntax.OpQuest:
		if sub := partOf(re.Sub[0]); sub.exact != nil {
			return part{exact: merged(sub.exact, clause{""})}
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
		return part{} // case folding of these letters is special
	}
	return part{exact: clause{lowerASCII(text)}}
}

func classPart(re *syntax.Regexp) part {
	var texts clause
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

// concatPart combines exact texts while they are few, and keeps those of each run.
func concatPart(subs []*syntax.Regexp) part {
	run, whole := clause{""}, true
	var runs []clause
	for _, sub := range subs {
		p := partOf(sub)
		if p.exact != nil && len(p.exact)*len(run) <= mostExact {
			run = crossed(run, p.exact)
			continue
		}
		runs = append(append(runs, run), p.required...)
		run, whole = clause{""}, false
		if p.exact != nil {
			run = p.exact
		}
	}
	if whole {
		return part{exact: run}
	}
	return part{required: bestOf(append(runs, run))}
}

// alternatePart combines the best clause of each branch.
func alternatePart(subs []*syntax.Regexp) part {
	var all clause
	exact := true
	for _, sub := range subs {
		p := partOf(sub)
		needed := p.needed()
		if len(needed) == 0 {
			return part{}
		}
		exact = exact && p.exact != nil
		all = merged(all, needed[0])
	}
	if exact && len(all) <= mostExact {
		return part{exact: all}
	}
	return part{required: []clause{all}}
}

func useful(texts clause) bool {
	return len(texts) > 0 && len(texts) <= mostLiterals && shortest(texts) >= shortestLiteral
}

func shortest(texts clause) int {
	if len(texts) == 0 {
		return 0
	}
	return len(slices.MinFunc(texts, func(a, b string) int { return len(a) - len(b) }))
}

func crossed(a, b clause) clause {
	out := make(clause, 0, len(a)*len(b))
	for _, x := range a {
		for _, y := range b {
			out = append(out, x+y)
		}
	}
	return merged(out, nil)
}

// merged returns the union of both, sorted.
func merged(a, b clause) clause {
	out := slices.Concat(a, b)
	slices.Sort(out)
	return slices.Compact(out)
}

func ascii(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

// lowerASCII lowers ASCII letters and leaves others unchanged.
func lowerASCII(text string) string {
	out := []byte(text)
	for i, c := range out {
		out[i] = lower[c]
	}
	return string(out)
}

// lower maps each byte to its lower case, for ASCII letters.
var lower = func() (table [256]byte) {
	for i := range table {
		table[i] = byte(i)
		if i >= 'A' && i <= 'Z' {
			table[i] += 'a' - 'A'
		}
	}
	return table
}()
