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
	if list := a.operands(target); (a.role(target) == roleWrap && !strings.HasPrefix(target.Text(), "!") || target.Kind == "expression_list") && len(list) == 1 {
		target = list[0]
	}
	v := a.eval(target)
	text := v.text
	if !v.constant() || strings.TrimSpace(v.text) == "" || a.role(target) == roleList {
		text = target.Text()
	}
	if len(c.Is) > 0 && !equals(c.Is, text) {
		return false
	}
	if c.matches != nil && !c.matches.MatchString(text) {
		return false
	}
	if c.Below != nil {
		number, err := strconv.ParseFloat(strings.ReplaceAll(strings.Trim(text, "\"' "), "_", ""), 64)
		if err != nil || number >= *c.Below {
			return false
		}
	}
	return c.Constant == nil || *c.Constant == v.constant()
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
