package codepattern

import (
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/syntax"
)

// alternatives visits an "if" that has an "else", or whose condition is constant: each arm begins
// with what was known before, and afterwards a value may be that of any arm. It reports false for
// other branches.
func (a *analysis) alternatives(n, condition *syntax.Node) bool {
	if condition == nil || !strings.HasPrefix(n.Kind, "if") || n.Child("consequence") == nil {
		return false
	}
	holds, known := a.truth(condition)
	if !known && n.Child("alternative") == nil {
		return false
	}
	a.visit(condition)
	arms, otherwise := a.scope.arms(), known && holds
	for _, c := range n.Children {
		first := c.Field == "consequence"
		if !first && c.Field != "alternative" || known && first != holds {
			continue
		}
		if again := c.Child("condition"); again != nil && !first && strings.HasPrefix(c.Kind, "el") {
			a.guard(again)
			a.visitAll(c)
		} else {
			otherwise = otherwise || !first
			a.arm(c)
		}
		arms.end()
	}
	arms.merge(otherwise)
	return true
}

// arm visits one arm of a branch, which surely runs from its own beginning.
func (a *analysis) arm(n *syntax.Node) {
	if a.role(n) == roleBranch && !strings.HasPrefix(n.Kind, "if") {
		a.visitAll(n)
		return
	}
	a.visit(n)
}

// truth is what a condition of literals and numbers always is, and whether that is known.
func (a *analysis) truth(n *syntax.Node) (holds, known bool) {
	switch n.Text() {
	case "True", "true":
		return true, true
	case "False", "false":
		return false, true
	}
	list := a.operands(n)
	switch a.role(n) {
	case roleWrap:
		if len(list) == 1 && strings.HasPrefix(n.Text(), "(") {
			return a.truth(list[0])
		}
	case roleNumber:
		number, ok := a.number(n)
		return number != 0, ok
	case roleBinary:
		if len(list) == 2 {
			left, ok := a.number(list[0])
			right, also := a.number(list[1])
			if ok && also {
				return compare(a.token(n), left, right)
			}
		}
	}
	return false, false
}

func compare(operator string, left, right float64) (holds, known bool) {
	switch operator {
	case "<":
		return left < right, true
	case ">":
		return left > right, true
	case "<=":
		return left <= right, true
	case ">=":
		return left >= right, true
	case "==", "===":
		return left == right, true
	case "!=", "!==":
		return left != right, true
	}
	return false, false
}

// number is the value of arithmetic with literals, and with variables of the same function that no
// branch or loop may have changed.
func (a *analysis) number(n *syntax.Node) (float64, bool) {
	switch a.role(n) {
	case roleNumber:
		return parsed(n.Text())
	case roleName:
		if v, ok := a.own(n.Text()); ok && v.constant() {
			return parsed(v.text)
		}
	case roleWrap:
		if list := a.operands(n); len(list) == 1 && strings.HasPrefix(n.Text(), "(") {
			return a.number(list[0])
		}
	case roleBinary:
		list := a.operands(n)
		if len(list) != 2 {
			return 0, false
		}
		left, ok := a.number(list[0])
		right, also := a.number(list[1])
		if ok && also {
			return calculate(a.token(n), left, right)
		}
	}
	return 0, false
}

func parsed(text string) (float64, bool) {
	number, err := strconv.ParseFloat(text, 64)
	return number, err == nil
}

func calculate(operator string, left, right float64) (float64, bool) {
	switch operator {
	case "+":
		return left + right, true
	case "-":
		return left - right, true
	case "*":
		return left * right, true
	}
	return 0, false
}

// own is a variable of the function that is visited, outside of branches and loops.
func (a *analysis) own(name string) (value, bool) {
	if a.depth > 0 {
		return value{}, false
	}
	for at := a.scope; at != nil; at = at.parent {
		if v, ok := at.variables[name]; ok {
			return v.value, v.depth == 0
		}
		if at.function {
			break
		}
	}
	return value{}, false
}
