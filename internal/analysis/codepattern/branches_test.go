package codepattern

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What a branch that never runs does counts for nothing, and what one of several clauses sets is one
// of several values.
func TestBranches(t *testing.T) {
	if Tier() != "tree" {
		t.Skip("needs syntax trees")
	}
	const from = "x = request.args['a']\n"
	cases := map[string][2]string{
		"always replaced":        {from + "if True:\n    x = 'a'\nsink(x)", ""},
		"never replaced":         {from + "if False:\n    x = 'a'\nsink(x)", "request"},
		"never set":              {"x = 'a'\nif False:\n    x = request.args['a']\nsink(x)", ""},
		"else of a constant":     {"x = 'a'\nif 1:\n    y = 2\nelse:\n    x = request.args['a']\nsink(x)", ""},
		"numbers":                {"n = 86\nif 7 * 42 - n > 200:\n    x = 'safe'\nelse:\n    x = request.args['a']\nsink(x)", ""},
		"choice":                 {"x = 'a' if 7 * 18 + 106 > 200 else request.args['a']\nsink(x)", ""},
		"choice the other way":   {"x = request.args['a'] if 7 * 18 + 106 > 200 else 'a'\nsink(x)", "request"},
		"not known":              {"x = 'a'\nif n > 3:\n    x = request.args['a']\nsink(x)", "request"},
		"a lone clause":          {"match n:\n    case 'A':\n        x = request.args['a']\n    case 'B':\n        x = 'b'\n    case _:\n        x = 'c'\nsink(x)", "request"},
		"the last clause":        {"match n:\n    case 'A':\n        x = 'a'\n    case _:\n        x = request.args['a']\nsink(x)", "request"},
		"only safe clauses":      {from + "match n:\n    case 'A':\n        x = 'a'\n    case _:\n        x = 'b'\nsink(x)", ""},
		"if and else set safely": {from + "if n:\n    x = 'a'\nelse:\n    x = 'b'\nsink(x)", ""},
		"an else that keeps it":  {from + "if n:\n    x = 'a'\nelse:\n    y = 'b'\nsink(x)", "request"},
		"another key":            {"d = {}\nd['a'] = 'x'\nd['b'] = request.args['a']\nsink(d['a'])", ""},
		"the same key":           {"d = {}\nd['a'] = 'x'\nd['b'] = request.args['a']\nsink(d['b'])", "request"},
		"the same position":      {"xs = ['a', request.args['a']]\nsink(xs[1])", "request"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			found := engine(t, flowRule("python")).Code("python", c[0])
			if c[1] == "" {
				require.Empty(t, found)
				return
			}
			require.Len(t, found, 1)
			require.Equal(t, c[1], found[0].Origin.String())
		})
	}
}
