package codepattern

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What a branch sets is one of several values.
func TestBranches(t *testing.T) {
	if Tier() != "tree" {
		t.Skip("needs syntax trees")
	}
	const from = "x = request.args['a']\n"
	cases := map[string][2]string{
		"never replaced":        {from + "if False:\n    x = 'a'\nsink(x)", "request"},
		"choice the other way":  {"x = request.args['a'] if 7 * 18 + 106 > 200 else 'a'\nsink(x)", "request"},
		"not known":             {"x = 'a'\nif n > 3:\n    x = request.args['a']\nsink(x)", "request"},
		"the last clause":       {"match n:\n    case 'A':\n        x = 'a'\n    case _:\n        x = request.args['a']\nsink(x)", "request"},
		"an else that keeps it": {from + "if n:\n    x = 'a'\nelse:\n    y = 'b'\nsink(x)", "request"},
		"the same key":          {"d = {}\nd['a'] = 'x'\nd['b'] = request.args['a']\nsink(d['b'])", "request"},
		"the same position":     {"xs = ['a', request.args['a']]\nsink(xs[1])", "request"},
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
