package codepattern

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/syntax"
)

// excused reports whether a place's function, or one around it, has what a rule accepts as an excuse.
// Another function's words excuse nothing.
func (a *analysis) excused(r *compiled, n *syntax.Node) bool {
	return r.unless != nil && r.unless.MatchString(a.surroundings(n))
}

// surroundings is the text of the innermost function that holds a node, with its decorators, and of
// the functions around that one without the other functions in them. Outside of functions it is
// the text of the piece without its functions.
func (a *analysis) surroundings(n *syntax.Node) string {
	var out strings.Builder
	inner, found := n, false
	for at := n; at != nil; at = at.Parent {
		switch {
		case a.role(at) == roleFunction && !found:
			out.WriteString(at.Text())
			inner, found = at, true
		case a.role(at) == roleDecorated && at == inner.Parent, a.role(at) == roleFunction, at.Parent == nil && !found:
			out.WriteByte('\n')
			a.withoutFunctions(at, &out)
			inner = at
		}
	}
	return out.String()
}

// withoutFunctions writes the text of a node without the functions in it.
func (a *analysis) withoutFunctions(n *syntax.Node, out *strings.Builder) {
	text, from := n.Text(), 0
	n.Walk(func(c *syntax.Node) bool {
		if c == n || a.role(c) != roleFunction {
			return true
		}
		out.WriteString(text[from:max(from, c.Start-n.Start)])
		from = max(from, c.End-n.Start)
		return false
	})
	out.WriteString(text[from:])
}

// harmless reports whether the arms of a branch only report: what its condition compares is not
// checked, since the code after it runs all the same.
func (a *analysis) harmless(branch, condition *syntax.Node) bool {
	reports := false
	for _, c := range branch.Children {
		if !c.Named || c == condition || c.Field == "initializer" || a.role(c) == roleComment {
			continue
		}
		if !a.onlyReports(c) {
			return false
		}
		reports = true
	}
	return reports
}

// onlyReports reports whether a statement, or each of a block, is a call that writes a log or an
// answer and goes on.
func (a *analysis) onlyReports(n *syntax.Node) bool {
	list := a.operands(n)
	switch {
	case a.role(n) == roleCall:
		callee := a.dotted(n)
		return a.language.reports.match(callee) || a.language.reports.match(a.resolve(callee))
	case a.role(n) == roleBlock, a.holdsStatements(n), strings.HasSuffix(n.Kind, "expression_statement"), n.Kind == "statement_list":
		for _, c := range list {
			if !a.onlyReports(c) {
				return false
			}
		}
		return len(list) > 0
	}
	return false
}
