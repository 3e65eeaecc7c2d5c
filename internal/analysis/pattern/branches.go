package pattern

import (
	"regexp/syntax"
	"slices"
)

// mostBranches bounds how many alternatives a pattern is split into.
const mostBranches = 128

// branchFilter returns, for a pattern of which not every match contains a known literal, a
// filter for the alternatives that have one, and a pattern of the others; nil if that would
// not be cheaper than the pattern itself.
func branchFilter(pattern string, long bool) (*filter, *Regexp) {
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, nil // RE2 supports more than this package
	}
	var literals clause
	parsed = parsed.Simplify()
	rest := &syntax.Regexp{Op: syntax.OpAlternate}
	for _, branch := range branchesOf(nil, parsed) {
		if needs := bestOf(partOf(branch).needed()); len(needs) > 0 {
			literals = merged(literals, needs[0])
		} else {
			rest.Sub = append(rest.Sub, branch)
		}
	}
	if !useful(literals) {
		return nil, nil
	}
	if len(rest.Sub) == 0 {
		return newFilter([][]clause{{literals}}), nil
	}
	text := source(rest)
	if 2*len(text) > len(source(parsed)) {
		return nil, nil
	}
	return newFilter([][]clause{{literals}}), &Regexp{text: text, long: long}
}

// branchesOf appends the alternatives of a pattern, of which at least one matches where the
// pattern does. A sequence that contains alternatives and no literal counts as one sequence
// for each of them.
func branchesOf(out []*syntax.Regexp, re *syntax.Regexp) []*syntax.Regexp {
	if len(out) >= mostBranches {
		return append(out, re)
	}
	switch re.Op {
	case syntax.OpCapture:
		return branchesOf(out, re.Sub[0])
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			out = branchesOf(out, sub)
		}
		return out
	case syntax.OpConcat:
		if len(bestOf(partOf(re).needed())) > 0 {
			break
		}
		at := slices.IndexFunc(re.Sub, alternates)
		if at < 0 {
			break
		}
		for _, sub := range branchesOf(nil, re.Sub[at]) {
			whole := slices.Concat(re.Sub[:at], []*syntax.Regexp{sub}, re.Sub[at+1:])
			out = branchesOf(out, &syntax.Regexp{Op: syntax.OpConcat, Flags: re.Flags, Sub: whole})
		}
		return out
	}
	return append(out, re)
}

// alternates reports whether a part of a pattern consists of alternatives.
func alternates(re *syntax.Regexp) bool {
	return re.Op == syntax.OpAlternate || re.Op == syntax.OpCapture && alternates(re.Sub[0])
}
