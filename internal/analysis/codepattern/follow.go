package codepattern

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/syntax"
)

// mapped is what a function that is applied to each item of its receiver gives.
func (a *analysis) mapped(n *syntax.Node, arguments arguments) (value, bool) {
	candidates := arguments.positional
	if block := n.Child("block"); block != nil && a.role(block) == roleClosure {
		candidates = append(slices.Clone(candidates), block)
	}
	for _, arg := range candidates {
		if role := a.role(arg); (role == roleFunction || role == roleClosure) && a.helpers < maxHelpers {
			return a.follow(arg, handed{values: []value{a.eval(a.receiver(n)).element()}}), true
		}
	}
	return value{}, false
}

// handed are the values a function is called with.
type handed struct {
	values []value
	named  func(name string) (value, bool)
}

func (a *analysis) given(arguments arguments) handed {
	var out handed
	for _, arg := range arguments.positional {
		out.values = append(out.values, a.eval(arg))
	}
	named := map[string]value{}
	for _, arg := range arguments.all {
		if list := a.operands(arg); a.role(arg) == roleKeyword && len(list) == 2 {
			named[a.key(list[0])] = a.eval(list[1])
		}
	}
	out.named = func(name string) (value, bool) {
		v, ok := named[name]
		return v, ok
	}
	return out
}

// follow is what a function of the hunk gives for the values it is called with.
func (a *analysis) follow(function *syntax.Node, given handed) value {
	a.muted++
	defer func() { a.muted-- }()
	return a.within(function, given)
}

// within runs a function of the hunk with the values it is called with.
func (a *analysis) within(function *syntax.Node, given handed) value {
	scope, depth, returns, handler := a.scope, a.depth, a.returns, a.handler
	a.helpers++
	a.handler = false
	defer func() {
		a.scope, a.depth, a.returns, a.handler = scope, depth, returns, handler
		a.helpers--
	}()
	outer := scope
	if function.Child("name") != nil { // a named one does not see its caller's variables
		for outer.parent != nil {
			outer = outer.parent
		}
	}
	a.scope, a.depth, a.returns = newScope(outer, true), 0, nil
	a.hand(function, given)
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

// hand sets a function's parameters to what it is given.
func (a *analysis) hand(function *syntax.Node, given handed) {
	next := 0
	for _, p := range a.parameters(function) {
		if a.language.self[p.name] || p.receiver {
			continue
		}
		v, ok := value{}, false
		if given.named != nil {
			v, ok = given.named(p.name)
		}
		if !ok && next < len(given.values) {
			v = given.values[next]
			for _, more := range given.values[next:] {
				if strings.Contains(p.text, "...") { // takes all that follow
					v = mix(v, more)
				}
			}
			next++
		}
		a.scope.set(p.name, v.through(p.node), 0, true)
	}
}

func shortSource(text string) string {
	if len(text) > 60 {
		return strings.ToValidUTF8(text[len(text)-60:], "")
	}
	return text
}
