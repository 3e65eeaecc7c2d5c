package codepattern

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/syntax"
)

// handOver looks again at a function of the hunk with what a call gives it: a
// request's value or a constant shows more than that it is a parameter.
func (a *analysis) handOver(callee string, arguments arguments) {
	if a.helpers > 0 || len(arguments.all) == 0 {
		return
	}
	function := a.declared(callee, len(arguments.all))
	if function == nil || !a.sought(function) {
		return
	}
	if given := a.given(arguments); given.telling() {
		a.within(function, given)
	}
}

// telling says that a value comes from outside or is a constant text.
func (g handed) telling() bool {
	for _, v := range g.values {
		if v.constant() && v.text != "" || len(v.parts) > 0 && v.parts[0].origin >= Input {
			return true
		}
	}
	return false
}

// declared is the function of the hunk that a callee names; a method of another
// value where it takes as many arguments as are given.
func (a *analysis) declared(callee string, given int) *syntax.Node {
	if function := a.functions[callee]; function != nil {
		return function
	}
	first, _, dotted := strings.Cut(callee, ".")
	if _, imported := a.aliases[first]; imported || !dotted {
		return nil
	}
	function := a.functions[callee[strings.LastIndexByte(callee, '.')+1:]]
	if function == nil {
		return nil
	}
	method, takes := strings.Contains(function.Kind, "method"), 0
	for _, p := range a.parameters(function) {
		if a.language.self[p.name] || p.receiver {
			method = true
		} else {
			takes++
		}
	}
	if !method || takes != given {
		return nil
	}
	return function
}

// sought says that a function holds a trigger of a rule.
func (a *analysis) sought(function *syntax.Node) bool {
	if found, known := a.holding[function]; known {
		return found
	}
	found := false
	for _, r := range a.rules {
		found = found || r.trigger.MatchString(a.tree.Text(function))
	}
	if a.holding == nil {
		a.holding = map[*syntax.Node]bool{}
	}
	a.holding[function] = found
	return found
}
