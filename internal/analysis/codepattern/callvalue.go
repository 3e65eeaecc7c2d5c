package codepattern

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/syntax"
)

// callValue is what a call gives back.
func (a *analysis) callValue(n *syntax.Node) value {
	l, text := a.language, a.normal(n)
	arguments := a.arguments(n)
	if arguments.template { // sql`…`: the tag gets the values apart
		return value{}
	}
	callee := a.dotted(n)
	resolved := a.resolve(callee)
	if matches(l.converted, text) || l.conversion.match(callee) || l.conversion.match(resolved) {
		return value{}
	}
	for category, sanitizer := range l.sanitizers {
		if sanitizer.match(callee) || sanitizer.match(resolved) {
			return a.sanitized(n, category)
		}
	}
	if origin, ok := a.sourceOf(text); ok {
		return single(origin, n, text)
	}
	if v, ok := a.formatted(n, callee, arguments); ok {
		return v
	}
	if function := a.functions[callee]; function != nil && a.helpers < maxHelpers {
		return a.follow(function, arguments)
	}
	if l.passes.match(callee) {
		return a.passed(n, arguments)
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
	v := a.passed(n, a.arguments(n)).madeSafe(first)
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
		}
		if f.printf {
			return a.printf(template, rest), true
		}
		return a.braces(template, rest), true
	}
	return value{}, false
}

// passed is what receiver and arguments give together. A separator or a default
// that is constant adds nothing.
func (a *analysis) passed(n *syntax.Node, arguments arguments) value {
	var values []value
	if receiver := a.receiver(n); receiver != nil {
		values = append(values, a.eval(receiver))
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

// follow runs a function of the hunk with the values it is called with.
func (a *analysis) follow(function *syntax.Node, arguments arguments) value {
	scope, depth, returns := a.scope, a.depth, a.returns
	a.helpers++
	a.muted++
	defer func() {
		a.scope, a.depth, a.returns = scope, depth, returns
		a.helpers--
		a.muted--
	}()
	values := make([]value, len(arguments.positional))
	for i, arg := range arguments.positional {
		values[i] = a.eval(arg)
	}
	root := scope
	for root.parent != nil {
		root = root.parent
	}
	a.scope, a.depth, a.returns = newScope(root, true), 0, nil
	next := 0
	for _, p := range a.parameters(function) {
		if a.language.self[p.name] {
			continue
		}
		v := value{}
		if keyword := arguments.keyword(a, p.name); keyword != nil {
			v = a.eval(keyword)
		} else if next < len(values) {
			v = values[next]
			if strings.Contains(p.kind+p.text, "...") {
				for _, more := range values[next:] {
					v = mix(v, more)
				}
			}
			next++
		}
		a.scope.set(p.name, v, 0, true)
	}
	body := function.Child("body")
	if body == nil {
		return value{}
	}
	if a.role(body) != roleBlock && a.role(body) != roleNone {
		return a.eval(body)
	}
	a.visitAll(body)
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

func shortSource(text string) string {
	if len(text) > 60 {
		return strings.ToValidUTF8(text[len(text)-60:], "")
	}
	return text
}
