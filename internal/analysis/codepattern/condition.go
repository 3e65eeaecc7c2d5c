package codepattern

import (
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/syntax"
)

// all says that every condition holds.
func (a *analysis) all(list []compiledCondition, n *syntax.Node, arguments arguments, own *syntax.Node) bool {
	for i := range list {
		if a.holds(&list[i], n, arguments, own) == list[i].Not {
			return false
		}
	}
	return true
}

func (a *analysis) holds(c *compiledCondition, n *syntax.Node, arguments arguments, own *syntax.Node) bool {
	target := own
	switch {
	case len(c.Keyword) > 0:
		position := 1 << 20
		if c.Argument != nil {
			position = *c.Argument
		}
		target = a.argument(position, c.Keyword, n, arguments)
	case c.Argument != nil:
		target = a.argument(*c.Argument, nil, n, arguments)
	}
	if c.Absent {
		return target == nil
	}
	if target == nil {
		return false
	}
	target, negated := a.negated(target)
	if list := a.operands(target); (a.role(target) == roleWrap || target.Kind == "expression_list") && len(list) == 1 {
		target = list[0]
	}
	v := a.eval(target)
	text := v.text
	if !v.constant() || strings.TrimSpace(v.text) == "" || a.role(target) == roleList {
		text = target.Text()
	}
	if negated {
		text = opposite(text)
	}
	if len(c.Is) > 0 && !equals(c.Is, text) {
		return false
	}
	if c.matches != nil && !c.matches.MatchString(text) {
		code := ""
		if a.role(target) == roleName {
			code = a.scope.spelled(text)
		}
		if code == "" || !c.matches.MatchString(code) {
			return false
		}
	}
	if c.Below != nil {
		number, err := strconv.ParseFloat(strings.ReplaceAll(strings.Trim(text, "\"' "), "_", ""), 64)
		if err != nil || number >= *c.Below {
			return false
		}
	}
	return c.Constant == nil || *c.Constant == v.constant()
}

// negated unwraps !x, !!x and the like, and says whether it is the opposite of x.
func (a *analysis) negated(n *syntax.Node) (inner *syntax.Node, odd bool) {
	for strings.HasPrefix(n.Text(), "!") {
		list := a.operands(n)
		if len(list) != 1 {
			break
		}
		n, odd = list[0], !odd
	}
	return n, odd
}

// opposite is the negation of a truth value in code.
func opposite(text string) string {
	switch strings.ToLower(text) {
	case "true":
		return "false"
	case "false":
		return "true"
	}
	return "!" + text
}

func equals(list []string, text string) bool {
	text = strings.TrimPrefix(unquote(strings.TrimSpace(text)), ":")
	for _, item := range list {
		if strings.EqualFold(item, text) {
			return true
		}
	}
	return false
}
