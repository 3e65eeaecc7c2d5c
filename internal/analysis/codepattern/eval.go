package codepattern

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/syntax"
)

// eval is what is known of an expression's value.
func (a *analysis) eval(n *syntax.Node) value {
	if n == nil {
		return value{}
	}
	if a.steps++; a.steps > maxSteps {
		return value{}
	}
	switch a.role(n) {
	case roleNumber:
		return constant(n.Text())
	case roleString:
		return a.stringValue(n)
	case roleName:
		return a.name(n)
	case roleMember, roleIndex:
		return a.member(n)
	case roleCall:
		return a.callValue(n)
	case roleBinary:
		return a.binary(n)
	case roleChoice:
		return a.choice(n)
	case roleWrap, roleHole:
		return a.wrapped(n)
	case roleList:
		return a.list(n)
	case rolePair, roleKeyword:
		list := a.operands(n)
		if len(list) == 0 {
			return value{}
		}
		return a.eval(list[len(list)-1])
	case roleComprehension:
		return a.comprehension(n)
	case roleAssign:
		return a.eval(firstChild(n, "right", "value"))
	case roleCommand:
		return single(Unknown, n, shortSource(a.normal(n)))
	case roleHere:
		return a.eval(a.heredocs[n])
	case roleFunction, roleClosure, roleComment:
		return value{}
	}
	return a.children(n)
}

// name is a variable's value.
func (a *analysis) name(n *syntax.Node) value {
	text := n.Text()
	if v, ok := a.scope.lookup(text); ok {
		return v
	}
	if function, ok := a.functions[text]; ok {
		if a.language.config.ImplicitReturn && a.helpers < maxHelpers { // a call without parentheses
			return a.follow(function, a.handed(arguments{}))
		}
		return value{}
	}
	return a.outside(n, text, text)
}

// outside is the value of what no assignment of the hunk explains.
func (a *analysis) outside(n *syntax.Node, text, last string) value {
	if origin, ok := a.sourceOf(text); ok {
		return single(origin, n, text)
	}
	if a.matches(a.language.constants, last) {
		return value{}
	}
	if a.matches(a.language.internals, text) {
		return single(Internal, n, text)
	}
	return single(Unknown, n, text)
}

func (a *analysis) sourceOf(text string) (Origin, bool) {
	for _, s := range a.language.sources {
		if a.matches(s.Regexp, text) && !(s.unbound && a.bound(text)) {
			return s.origin, true
		}
	}
	return None, false
}

// bound says that an expression's first name is a variable of the hunk.
func (a *analysis) bound(text string) bool {
	end := strings.IndexFunc(text, func(r rune) bool { return r >= 0x80 || !isWord(byte(r)) || r == '.' })
	if end < 0 {
		end = len(text)
	}
	_, ok := a.scope.lookup(text[:end])
	return ok
}

// member is the value of a.b or a[b].
func (a *analysis) member(n *syntax.Node) value {
	text := a.normal(n)
	if a.matches(a.language.converted, text) {
		return value{}
	}
	if v, ok := a.scope.lookup(text); ok {
		return v
	}
	list := a.operands(n)
	if origin, ok := a.sourceOf(text); ok {
		return single(origin, n, text)
	}
	if len(list) == 0 {
		return single(Unknown, n, text)
	}
	return a.memberOf(n, list[0], text)
}

// memberOf is what object gives for one of its members, written as text.
func (a *analysis) memberOf(n, object *syntax.Node, text string) value {
	v := a.eval(object)
	last := text[strings.LastIndexByte(text, '.')+1:]
	switch {
	case len(v.parts) == 0, a.role(n) == roleMember && v.parts[0].origin < CLI && a.matches(a.language.constants, last):
		return value{}
	case v.parts[0].origin <= Parameter && a.matches(a.language.internals, text):
		return single(Internal, n, text)
	case a.language.self[object.Text()]:
		return single(Unknown, n, text)
	}
	out := value{text: hole, known: true}
	for _, p := range v.parts {
		if p.origin <= Parameter {
			p.source, p.node = text, n
		}
		out.parts = append(out.parts, p)
	}
	return out
}

// list is a literal list or object: what its items give together.
func (a *analysis) list(n *syntax.Node) value {
	out := value{known: true, list: true}
	for _, c := range a.operands(n) {
		out = out.with(a.eval(c))
	}
	return out
}

func (a *analysis) choice(n *syntax.Node) value {
	list := a.operands(n)
	if condition := n.Child("condition"); condition != nil {
		a.guard(condition)
		return mix(a.eval(firstChild(n, "consequence", "body")), a.eval(n.Child("alternative")))
	}
	if len(list) == 3 { // Python: a if condition else b
		a.guard(list[1])
		return mix(a.eval(list[0]), a.eval(list[2]))
	}
	return a.children(n)
}

// wrapped is the value inside of parentheses, casts and the like.
func (a *analysis) wrapped(n *syntax.Node) value {
	if strings.HasPrefix(n.Text(), "!") {
		return value{} // true or false, which harms nothing
	}
	inner := firstChild(n, "value", "operand", "argument", "expression", "left")
	if t := n.Child("type"); t != nil && a.matches(a.language.safeTypes, t.Text()) {
		if v := a.eval(inner); v.constant() {
			return v
		}
		return value{}
	}
	if inner != nil {
		return a.eval(inner)
	}
	if list := a.operands(n); len(list) > 0 {
		return a.eval(list[0])
	}
	return value{}
}

func (a *analysis) comprehension(n *syntax.Node) value {
	a.scope = newScope(a.scope, false)
	defer func() { a.scope = a.scope.parent }()
	a.clauses(n)
	for _, c := range a.operands(n) {
		if c.Field == "condition" || c.Kind == "if_clause" {
			a.guard(c)
		}
	}
	body := n.Child("body")
	if body == nil {
		if list := a.operands(n); len(list) > 0 {
			body = list[0]
		}
	}
	return a.eval(body)
}

// binary is the value of an operator.
func (a *analysis) binary(n *syntax.Node) value {
	list := a.operands(n)
	if len(list) != 2 {
		return value{}
	}
	switch operator := a.token(n); operator {
	case "+", ".", "<<":
		left, right := a.eval(list[0]), a.eval(list[1])
		if a.role(list[0]) == roleNumber || a.role(list[1]) == roleNumber {
			if operator == "+" && !left.built() && !right.built() {
				return value{} // counting
			}
		}
		return joined(left, right)
	case "%":
		left := a.eval(list[0])
		if !left.known || !strings.Contains(left.text, "%") {
			if a.role(list[1]) == roleList && len(left.parts) > 0 { // no number is divided by a list
				return a.together(left, list[1:])
			}
			return value{}
		}
		arguments := []*syntax.Node{list[1]}
		if a.role(list[1]) == roleList && !strings.Contains(left.text, "%(") {
			arguments = a.operands(list[1])
		}
		return a.printf(left, arguments)
	case "/": // a path below another; a number that is divided comes from no client as it is
		if a.language.config.DividesPaths {
			return fromClient(joined(joined(a.eval(list[0]), constant("/")), a.eval(list[1])))
		}
	case "||", "or", "??", "and", "&&", "?:":
		return mix(a.eval(list[0]), a.eval(list[1]))
	}
	return value{} // numbers, comparisons, repeated text
}
