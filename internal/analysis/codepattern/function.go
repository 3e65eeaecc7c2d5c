package codepattern

import (
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

// isHandler looks for decorators that are the function's own children, as
// annotations are.
func (a *analysis) isHandler(n *syntax.Node) bool {
	for _, c := range n.Children {
		if a.role(c) == roleDecorator && a.matches(a.language.handlers, c.Text()) {
			return true
		}
	}
	return false
}

// parameter is one name that a function takes.
type parameter struct {
	name, kind, text string
	node             *syntax.Node
	receiver         bool // of a method
}

func (a *analysis) parameters(n *syntax.Node) []parameter {
	var out []parameter
	for _, c := range n.Children {
		switch {
		case c.Field == "parameter" && a.role(c) == roleName:
			out = append(out, parameter{name: c.Text(), node: c})
		case c.Field == "parameters" || a.role(c) == roleParameters:
			for _, p := range a.operands(c) {
				kind := ""
				if t := p.Child("type"); t != nil {
					kind = t.Text()
				}
				for _, name := range a.names(p) {
					out = append(out, parameter{name: name.Text(), kind: kind, text: p.Text(), node: name, receiver: c.Field == "receiver"})
				}
			}
		}
	}
	return out
}

// names are the variables that a pattern or parameter sets.
func (a *analysis) names(n *syntax.Node) []*syntax.Node {
	if a.role(n) == roleName {
		return []*syntax.Node{n}
	}
	var out []*syntax.Node
	for i, c := range n.Children {
		typed := c.Field == "type" || c.Field == "key" || c.Field == "default_value" || c.Field == "value" && i > 0 && n.Child("key") == nil
		if c.Named && !typed && a.role(c) != roleDecorator && c.Kind != "modifiers" {
			out = append(out, a.names(c)...)
		}
	}
	return out
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
