package codepattern

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/syntax"
)

// callValue returns the value of a call.
func (a *analysis) callValue(n *syntax.Node) value {
	l, text := a.language, a.normal(n)
	arguments := a.arguments(n)
	if arguments.template { // sql`…`: the tag gets the values apart
		return value{}
	}
	callee := a.dotted(n)
	resolved := a.resolve(callee)
	if a.matches(l.converted, text) || l.conversion.match(callee) || l.conversion.match(resolved) {
		return value{}
	}
	for category, sanitizer := range l.sanitizers {
		if sanitizer.match(callee) || sanitizer.match(resolved) {
			return a.sanitized(n, category)
		}
	}
	if l.lists.match(callee) || l.lists.match(resolved) {
		out := value{known: true, list: true}
		for _, arg := range arguments.positional {
			out = out.with(a.eval(arg))
		}
		return out
	}
	if l.maps.match(callee) {
		if v, ok := a.mapped(n, arguments); ok {
			return v
		}
	}
	if origin, ok := a.sourceOf(text); ok && !a.transformed(n) {
		return single(origin, n, text)
	}
	if a.owners.find(l.entering, callee) != nil && !a.transformed(n) {
		return single(Request, n, text)
	}
	if v, ok := a.formatted(n, callee, arguments); ok {
		return v
	}
	if function := a.declared(callee, len(arguments.all)); function != nil && a.helpers < maxHelpers {
		return a.follow(function, a.handed(arguments))
	}
	if receiver := a.receiver(n); receiver != nil && l.lookups.match(callee) {
		if table := a.eval(receiver); table.list && len(table.parts) == 0 { // of constants: only a default may be another
			return a.passed(nil, arguments.from(1))
		}
	}
	if receiver := a.receiver(n); receiver != nil && a.role(receiver) == roleCall && l.methods.match(callee) && len(a.eval(receiver).parts) > 0 {
		return a.passed(receiver, arguments) // base64.b64decode(x).decode() is a method of what the function gives
	}
	if l.functions.match(callee) || l.functions.match(resolved) {
		return a.passed(nil, arguments)
	}
	if receiver := a.receiver(n); receiver != nil && l.joins.match(callee) {
		out := a.eval(receiver)
		for _, arg := range arguments.positional {
			out = out.with(a.eval(arg))
		}
		return out
	}
	if l.methods.match(callee) {
		return a.passed(a.receiver(n), arguments)
	}
	if receiver := a.receiver(n); receiver != nil && (len(arguments.all) == 0 && l.accessors.match(callee) || l.takes.match(callee)) {
		return a.memberOf(n, receiver, text)
	}
	if receiver := a.receiver(n); receiver != nil {
		if v := a.eval(receiver); len(v.parts) == 0 && a.role(receiver) != roleCall {
			return value{} // a look-up in something constant
		}
	}
	return single(Unknown, n, shortSource(callee)+"()")
}

// sanitized is the arguments' value, safe for every category that lists the callee.
func (a *analysis) sanitized(n *syntax.Node, first string) value {
	callee := a.dotted(n)
	resolved := a.resolve(callee)
	given := a.arguments(n)
	v := a.passed(nil, given)
	if receiver := a.receiver(n); receiver != nil && len(given.all) == 0 { // text.shellescape
		v = a.eval(receiver)
	}
	v = v.madeSafe(first)
	for category, sanitizer := range a.language.sanitizers {
		if category != first && (sanitizer.match(callee) || sanitizer.match(resolved)) {
			v = v.madeSafe(category)
		}
	}
	return v
}

func (a *analysis) formatted(n *syntax.Node, callee string, arguments arguments) (value, bool) {
	for _, f := range a.language.formats {
		if !f.callee.match(callee) {
			continue
		}
		var template value
		rest := arguments.all
		if f.template < 0 {
			template = a.eval(a.receiver(n))
		} else {
			if f.template >= len(rest) {
				return value{}, true
			}
			template, rest = a.eval(rest[f.template]), rest[f.template+1:]
			if len(rest) > 0 && !template.known && len(template.parts) == 0 { // a locale comes first
				if second := a.eval(rest[0]); second.known && strings.Contains(second.text, "%") {
					template, rest = second, rest[1:]
				}
			}
		}
		if f.printf {
			return a.printf(template, rest), true
		}
		return a.braces(template, rest), true
	}
	return value{}, false
}

// passed is what receiver, nil for none, and arguments give together. What is
// looked up in something constant is constant.
func (a *analysis) passed(receiver *syntax.Node, arguments arguments) value {
	var values []value
	if receiver != nil {
		v := a.eval(receiver)
		if len(v.parts) == 0 && !v.known {
			return value{}
		}
		values = append(values, v)
	}
	for _, arg := range arguments.all {
		values = append(values, a.eval(arg))
	}
	if len(values) == 0 {
		return value{}
	}
	out := values[0]
	for _, v := range values[1:] {
		out = mix(out, v)
	}
	return out
}

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
