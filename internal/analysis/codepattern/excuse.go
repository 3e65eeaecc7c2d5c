package codepattern

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/syntax"
)

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
