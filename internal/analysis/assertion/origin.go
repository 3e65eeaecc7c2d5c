package assertion

import (
	"slices"
	"strings"
)

// origins sets what the subjects that are variables of the piece stand for.
func (p *piece) origins(list []Assertion) {
	if len(list) == 0 {
		return
	}
	values := map[string]string{}
	for _, m := range p.Reader.given.FindAllStringSubmatchIndex(p.masked, -1) {
		name := p.masked[m[2]:m[3]]
		value := strings.TrimRight(p.text(span{m[4], m[5]}), "; ")
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
