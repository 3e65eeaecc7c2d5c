package codepattern

import (
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/syntax"
)

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
