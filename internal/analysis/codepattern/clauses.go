package codepattern

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/syntax"
)

// clauseKinds are the clauses of match, switch and case in the grammars.
var clauseKinds = map[string]bool{
	"case_clause": true, "switch_case": true, "switch_default": true, "expression_case": true, "type_case": true, "default_case": true,
	"switch_block_statement_group": true, "switch_rule": true, "case_statement": true, "default_statement": true,
}

// hasClauses reports whether a node's children are the clauses of a match or switch.
func hasClauses(n *syntax.Node) bool {
	for _, c := range n.Children {
		if clauseKinds[c.Kind] {
			return true
		}
	}
	return false
}

// match visits the clauses of a match or switch: each begins with what was known before, or where
// the one above it falls through.
func (a *analysis) match(n *syntax.Node) {
	arms, otherwise, falls := a.scope.arms(), false, false
	depth := a.depth
	a.depth = max(depth-1, 0) // the statement around the clauses is a branch
	chosen := a.chosenClause(n)
	for _, c := range n.Children {
		if !clauseKinds[c.Kind] {
			if c.Named {
				a.visit(c)
			}
			continue
		}
		if chosen != nil && c != chosen && !falls {
			continue
		}
		if falls {
			arms.again()
		}
		a.visitAll(c)
		arms.end()
		text := c.Text()
		falls = (strings.HasPrefix(c.Kind, "switch_") || strings.HasSuffix(c.Kind, "_statement")) && c.Kind != "switch_rule" &&
			!strings.Contains(text, "break") && !strings.Contains(text, "return") && !strings.Contains(text, "throw")
		otherwise = otherwise || c == chosen || strings.HasPrefix(text, "default") || strings.HasPrefix(text, "case _:")
	}
	a.depth = depth
	arms.merge(otherwise)
}

// chosenClause is the clause that a constant subject runs, nil where that is not known.
func (a *analysis) chosenClause(n *syntax.Node) *syntax.Node {
	subject := n.Child("subject")
	for at := n; subject == nil && at != nil && at.Parent != nil && at.Start-at.Parent.Start < maxName; at = at.Parent {
		if subject = firstChild(at, "condition", "subject", "value"); subject != nil || at != n {
			break
		}
	}
	if subject == nil {
		return nil
	}
	v := a.eval(subject)
	if !v.constant() || v.text == "" {
		return nil
	}
	for _, c := range n.Children {
		if clauseKinds[c.Kind] && a.labelled(c, v.text) {
			return c
		}
	}
	return nil
}

// labelled reports whether a clause has the literal as its label.
func (a *analysis) labelled(clause *syntax.Node, text string) bool {
	label := firstChild(clause, "value", "pattern")
	if label == nil {
		if list := a.operands(clause); len(list) > 0 {
			label = list[0]
		}
	}
	for label != nil {
		list := a.operands(label)
		if role := a.role(label); role == roleString || role == roleNumber || len(list) != 1 {
			break
		}
		label = list[0]
	}
	if label == nil {
		return false
	}
	role := a.role(label)
	return (role == roleString || role == roleNumber) && unquote(label.Text()) == text
}
