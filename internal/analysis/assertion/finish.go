package assertion

import (
	"cmp"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/code"
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

// origins sets what the subjects that are variables of the piece stand for.
func (p *piece) origins(list []Assertion) {
	if len(list) == 0 {
		return
	}
	values := map[string]string{}
	for _, m := range p.Reader.given.FindAllStringSubmatchIndex(p.masked, -1) {
		name := p.masked[m[2]:m[3]]
		value := strings.TrimRight(p.text(code.Between(m[4], m[5])), "; ")
		if other, twice := values[name]; twice && other != value {
			value = "" // it is unknown which of them is checked
		}
		values[name] = value
	}
	for i := range list {
		list[i].origin = values[list[i].Subject]
	}
}

// traced replaces a subject that is a variable by its expression if the other side checks
// exactly that: moving an expression into a variable does not change a check.
func traced(list, others []Assertion) []Assertion {
	out := slices.Clone(list)
	for i := range out {
		a := &out[i]
		if a.origin != "" && slices.ContainsFunc(others, func(b Assertion) bool { return b.Subject == a.origin }) {
			a.Subject = a.origin
		}
	}
	return out
}
