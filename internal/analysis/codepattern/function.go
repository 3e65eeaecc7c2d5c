package codepattern

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/syntax"
)

// learn notes what a tree declares, and which texts its heredocs have.
func (a *analysis) learn(root *syntax.Node) {
	var heredocs heredocs
	root.Walk(func(n *syntax.Node) bool {
		switch a.role(n) {
		case roleFunction:
			a.learnFunction(n)
		case roleHere:
			heredocs.begin = append(heredocs.begin, n)
		}
		switch {
		case n.Kind == "heredoc_body" && n.Field != "value": // not PHP's, which is in place
			heredocs.text = append(heredocs.text, n)
		case strings.HasPrefix(n.Kind, "class"):
			if name := n.Child("name"); name != nil {
				a.classes[name.Text()] = true
			}
		}
		return true
	})
	heredocs.pair(a.heredocs)
}

// learnFunction notes a function by its name or by the variable it is given to.
func (a *analysis) learnFunction(n *syntax.Node) {
	name := n.Child("name")
	if name == nil && n.Parent != nil && n.Field == "value" {
		name = n.Parent.Child("name")
	}
	if name != nil {
		a.functions[name.Text()] = n
	}
}

// decorated visits a function with decorators; those of a web framework say that
// its parameters come from a request.
func (a *analysis) decorated(n *syntax.Node) {
	handler := false
	for _, c := range n.Children {
		if a.role(c) == roleDecorator {
			handler = handler || a.matches(a.language.handlers, c.Text())
			a.visitAll(c)
		}
	}
	for _, c := range n.Children {
		switch {
		case !c.Named || a.role(c) == roleDecorator:
		case a.role(c) == roleFunction:
			a.function(c, handler)
		default:
			a.visit(c)
		}
	}
}

// function visits a function's body with its parameters set.
func (a *analysis) function(n *syntax.Node, handler bool) {
	outer, depth, within := a.scope, a.depth, a.handler
	a.scope, a.depth = newScope(outer, true), 0
	if !handler {
		handler = a.isHandler(n)
	}
	a.handler = handler
	for _, p := range a.parameters(n) {
		a.scope.set(p.name, a.parameter(p, handler), 0, true)
	}
	for _, c := range n.Children {
		if c.Named && c.Field != "name" && a.role(c) != roleParameters && c.Field != "parameters" {
			a.visit(c)
		}
	}
	a.scope, a.depth, a.handler = outer, depth, within
}

// parameter is one name that a function takes.
type parameter struct {
	name, kind, text string
	node             *syntax.Node
	receiver         bool // of a method
}

// parameter is what is known of a parameter's value.
func (a *analysis) parameter(p parameter, handler bool) value {
	l := a.language
	switch {
	case p.kind != "" && a.matches(l.safeTypes, strings.Trim(p.kind, ": ")):
		return value{}
	case a.matches(l.request, p.text), handler && !a.matches(l.other, p.text):
		return single(Request, p.node, p.name)
	case l.self[p.name], p.receiver:
		return single(Unknown, p.node, p.name)
	}
	v := single(Parameter, p.node, p.name)
	v.list = p.kind != "" && a.matches(l.listTypes, strings.Trim(p.kind, ": "))
	return v
}

// closure visits a block that a call is given; its parameters are items of what the call is made on, or
// unknown where that shows nothing.
func (a *analysis) closure(n *syntax.Node) {
	item := value{}
	if n.Parent != nil && a.role(n.Parent) == roleCall {
		if receiver := a.receiver(n.Parent); receiver != nil {
			item = a.eval(receiver).element()
		}
	}
	a.scope = newScope(a.scope, false)
	if list := n.Child("parameters"); list != nil {
		for _, name := range a.names(list) {
			v := item
			if len(v.parts) == 0 {
				v = single(Unknown, name, name.Text())
			}
			a.scope.set(name.Text(), v, 0, true)
		}
	}
	for _, c := range n.Children {
		if c.Named && c.Field != "parameters" {
			a.visit(c)
		}
	}
	a.scope = a.scope.parent
}

// collectOperator adds to the left operand of an operator such as Ruby's <<.
func (a *analysis) collectOperator(n *syntax.Node) {
	operators := a.language.config.CollectOperators
	if len(operators) == 0 || !slices.Contains(operators, a.token(n)) {
		return
	}
	list := a.operands(n)
	if len(list) != 2 {
		return
	}
	target := list[0]
	for a.role(target) == roleBinary && slices.Contains(operators, a.token(target)) {
		target = a.operands(target)[0]
	}
	if role := a.role(target); role == roleName || role == roleMember {
		a.collect(target, a.eval(list[1]))
	}
}

// heredocs are the places where texts like "<<~SQL" are named, and the texts, both in order.
type heredocs struct{ begin, text []*syntax.Node }

// pair notes the text of each, which is on the lines below it.
func (h *heredocs) pair(texts map[*syntax.Node]*syntax.Node) {
	for i := range min(len(h.begin), len(h.text)) {
		texts[h.begin[i]] = h.text[i]
	}
}
