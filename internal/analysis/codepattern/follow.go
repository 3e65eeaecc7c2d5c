package codepattern

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/syntax"
)

// maxHelpers is how deep calls of the hunk's own functions are followed.
const maxHelpers = 2

// declared returns the function of the piece that a callee names, nil for none. A method counts where
// it is called on the same object or on a class of the piece: of another, its name alone shows little.
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

// mapped returns what a function that is applied to each item of a call's receiver gives.
func (a *analysis) mapped(n *syntax.Node, given arguments) (value, bool) {
	candidates := given.positional
	if block := n.Child("block"); block != nil && a.role(block) == roleClosure {
		candidates = append(slices.Clone(candidates), block)
	}
	for _, c := range candidates {
		if role := a.role(c); (role == roleFunction || role == roleClosure) && a.helpers < maxHelpers {
			item := a.eval(a.receiver(n)).element()
			return a.follow(c, func(parameter) value { return item }), true
		}
	}
	return value{}, false
}

// follow returns what a function of the piece gives for the values it is called with. What it reaches
// itself is found where it stands.
func (a *analysis) follow(function *syntax.Node, given func(parameter) value) value {
	around := a.scope
	if function.Child("name") != nil { // a named one does not see its caller's variables
		around = a.outermost()
	}
	inner := newScope(around, true)
	for _, p := range a.parameters(function) {
		if a.language.self[p.name] || p.receiver {
			continue
		}
		inner.set(p.name, given(p).through(p.node), 0, true)
	}
	outer, depth, returns, handler := a.scope, a.depth, a.returns, a.handler
	a.scope, a.depth, a.returns, a.handler = inner, 0, nil, false
	a.helpers++
	defer func() {
		a.scope, a.depth, a.returns, a.handler = outer, depth, returns, handler
		a.helpers--
	}()
	body := function.Child("body")
	if body == nil {
		return value{}
	}
	if role := a.role(body); role != roleBlock && role != roleNone {
		return a.eval(body)
	}
	a.visitAll(body)
	if list := a.operands(body); a.language.config.ImplicitReturn && len(list) > 0 {
		a.returns = append(a.returns, a.eval(list[len(list)-1]))
	}
	out := value{}
	for i, v := range a.returns {
		if i == 0 {
			out = v
		} else {
			out = mix(out, v)
		}
	}
	return out
}

// outermost returns the scope around all functions, the only one that a named function shares with its caller.
func (a *analysis) outermost() *scope {
	at := a.scope
	for at.parent != nil {
		at = at.parent
	}
	return at
}

// handed returns what the arguments of a call give each parameter, by name or in order.
func (a *analysis) handed(given arguments) func(parameter) value {
	next := 0
	return func(p parameter) value {
		if named := given.keyword(&a.grammar, p.name); named != nil {
			return a.eval(named)
		}
		if next >= len(given.positional) {
			return value{}
		}
		v := a.eval(given.positional[next])
		for _, more := range given.positional[next:] {
			if strings.Contains(p.text, "...") { // takes all that follow
				v = mix(v, a.eval(more))
			}
		}
		next++
		return v
	}
}
