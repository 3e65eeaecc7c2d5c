package codepattern

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/syntax"
)

// guard marks the variables that a condition checks: an allow list, a validator,
// a comparison with a literal.
func (a *analysis) guard(condition *syntax.Node) {
	condition.Walk(func(n *syntax.Node) bool {
		switch a.role(n) {
		case roleFunction, roleBlock:
			return false
		case roleIndex:
			if list := a.operands(n); len(list) > 1 {
				a.check(list[len(list)-1])
			}
		case roleBinary:
			a.guardOperator(n)
		case roleCall:
			if a.language.matchers.match(a.dotted(n)) {
				a.check(a.receiver(n))
			}
		}
		return true
	})
}

func (a *analysis) guardOperator(n *syntax.Node) {
	operands := a.operands(n)
	if len(operands) != 2 {
		return
	}
	switch operator := a.token(n); {
	case strings.Contains(operator, "~"): // a regular expression
		a.check(operands[0])
	case strings.Contains(operator, "in") && operator != "instanceof":
		a.check(operands[0])
		if a.searched(operands[0], operands[1]) {
			a.check(operands[1])
		}
	case strings.Contains(operator, "=") && operator[0] != '<' && operator[0] != '>':
		for i, o := range operands {
			other := operands[1-i]
			if strings.HasPrefix(o.Text(), "typeof") { // does not restrict the text
				continue
			}
			if a.role(other) == roleString && len(other.Text()) > 2 {
				a.check(o)
			}
		}
	}
}

var word = pattern.Must(`^[A-Za-z][\w-]*$`)

// compared marks what a call compares with a literal that is not empty.
func (a *analysis) compared(n *syntax.Node, arguments arguments) {
	list := arguments.positional
	if receiver := a.receiver(n); receiver != nil {
		list = append([]*syntax.Node{receiver}, list...)
	}
	literal := false
	for _, o := range list {
		literal = literal || a.role(o) == roleString && len(o.Text()) > 2
	}
	for _, o := range list {
		if literal && a.role(o) != roleString {
			a.check(o)
		}
	}
}

// check marks what an expression is made of as checked.
func (a *analysis) check(n *syntax.Node) {
	switch a.role(n) {
	case roleName, roleMember, roleIndex:
		name := a.normal(n)
		if v, ok := a.scope.lookup(name); ok && len(v.parts) == 0 {
			return
		}
		if at := a.scope.holder(name); at != nil {
			at.variables[name] = variable{depth: at.variables[name].depth}
			return
		}
		root := a.scope
		for !root.function {
			root = root.parent
		}
		root.variables[name] = variable{}
	case roleCall:
		if receiver := a.receiver(n); receiver != nil {
			a.check(receiver)
		}
		for _, arg := range a.arguments(n).positional {
			a.check(arg)
		}
	case roleWrap, roleBinary, roleKeyword, roleList:
		for _, c := range a.operands(n) {
			a.check(c)
		}
	}
}

// excused reports whether a place's function, or one around it, has what a rule accepts as an excuse.
// Another function's words excuse nothing.
func (g *grammar) excused(r *compiled, n *syntax.Node) bool {
	return r.unless != nil && r.unless.MatchString(g.surroundings(n))
}

// surroundings is the text of the innermost function that holds a node, with its decorators, and of
// the functions around that one without the other functions in them. Outside of functions it is
// the text of the piece without its functions.
func (g *grammar) surroundings(n *syntax.Node) string {
	var out strings.Builder
	inner, found := n, false
	for at := n; at != nil; at = at.Parent {
		switch {
		case g.role(at) == roleFunction && !found:
			out.WriteString(at.Text())
			inner, found = at, true
		case g.role(at) == roleDecorated && at == inner.Parent, g.role(at) == roleFunction, at.Parent == nil && !found:
			out.WriteByte('\n')
			g.withoutFunctions(at, &out)
			inner = at
		}
	}
	return out.String()
}

// withoutFunctions writes the text of a node without the functions in it.
func (g *grammar) withoutFunctions(n *syntax.Node, out *strings.Builder) {
	text, from := n.Text(), 0
	n.Walk(func(c *syntax.Node) bool {
		if c == n || g.role(c) != roleFunction {
			return true
		}
		out.WriteString(text[from:max(from, c.Start-n.Start)])
		from = max(from, c.End-n.Start)
		return false
	})
	out.WriteString(text[from:])
}
