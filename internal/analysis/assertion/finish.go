package assertion

import (
	"cmp"
	"slices"
	"strings"
)

// finish assigns each assertion to the test that contains it.
func (p *piece) finish() Reading {
	slices.SortStableFunc(p.found, func(a, b placed) int { return cmp.Compare(a.at, b.at) })
	out := Reading{Tests: p.tests}
	for _, f := range p.found {
		a := oneOf(f.Assertion)
		if k := p.testAt(a.Line); k >= 0 {
			a.Test = out.Tests[k].Name
			out.Tests[k].Asserts++
		}
		out.Assertions = append(out.Assertions, a)
	}
	p.origins(out.Assertions)
	return out
}

// testAt returns the innermost test whose head is above a line, -1 for none.
func (p *piece) testAt(line int) int {
	for k := len(p.tests) - 1; k >= 0; k-- {
		if p.tests[k].Line <= line {
			return k
		}
	}
	return -1
}

// oneOf converts a list that must contain a value into that value, as one of several.
func oneOf(a Assertion) Assertion {
	if a.Kind == Contains && Literal(a.Subject) && strings.HasPrefix(a.Subject, "[") && a.Expected != "" && !Literal(a.Expected) {
		a.Kind, a.Subject, a.Expected = Matches, a.Expected, a.Subject
	}
	return a
}
