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

// declared is the function of the hunk that a callee names. A method counts where
// it is called on the same object or on a class of the hunk: of another, its name alone tells little.
func (a *analysis) declared(callee string, given int) *syntax.Node {
	if function := a.functions[callee]; function != nil {
		return function
	}
	object, method, dotted := strings.Cut(callee, ".")
	function := a.functions[method]
	if !dotted || function == nil {
		return nil
	}
	own, takes := a.language.self[object] || a.classes[object], 0
	for _, p := range a.parameters(function) {
		switch {
		case p.receiver:
			own = own || p.name == object
		case !a.language.self[p.name]:
			takes++
		}
	}
	if !own || takes != given {
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
		found = found || r.trigger.MatchString(function.Text())
	}
	if a.holding == nil {
		a.holding = map[*syntax.Node]bool{}
	}
	a.holding[function] = found
	return found
}

// ownClassMethod reports whether a callee is a method that a class of the hunk declares itself, so that
// it is not the library's of that name: Bar.class_eval(x) with class Bar; def self.class_eval(x).
func (a *analysis) ownClassMethod(callee string) bool {
	object, method, dotted := strings.Cut(callee, ".")
	function := a.functions[method]
	if !dotted || function == nil || !a.classes[object] {
		return false
	}
	for at := function.Parent; at != nil; at = at.Parent {
		if name := at.Child("name"); name != nil && strings.HasPrefix(at.Kind, "class") {
			return name.Text() == object
		}
	}
	return false
}
