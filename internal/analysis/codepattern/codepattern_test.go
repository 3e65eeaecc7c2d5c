package codepattern

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

func engine(t testing.TB, list ...Rule) *Engine {
	t.Helper()
	e, err := New(rules.Default(), "test", list)
	require.NoError(t, err)
	return e
}

func TestPatternsWithoutFlow(t *testing.T) {
	e := engine(t,
		Rule{ID: "hash", Languages: []string{"python"}, Triggers: []string{`\bmd5\b`}, Confidence: 0.8, Calls: []Call{{Callee: []string{"hashlib.md5"}}}},
		Rule{ID: "verify", Languages: []string{"python"}, Triggers: []string{`verify`}, Confidence: 0.9, Calls: []Call{{Callee: []string{"requests.*"}, When: []Condition{{Keyword: []string{"verify"}, Is: []string{"false"}}}}}},
		Rule{ID: "tls", Languages: []string{"go"}, Triggers: []string{`InsecureSkipVerify`}, Confidence: 0.9, Pairs: []Pair{{Key: []string{"InsecureSkipVerify"}, When: []Condition{{Is: []string{"true"}}}}}},
	)
	for code, want := range map[string][]string{
		"import hashlib\ndef f(p):\n    return hashlib.md5(p).hexdigest()\n": {"hash"},
		"from hashlib import md5\nx = md5(y)\n":                              {"hash"},
		"x = 'hashlib.md5(y)'\n":                                             nil,
		"requests.get(u, verify=False)\n":                                    {"verify"},
		"requests.get(u, verify=True)\n":                                     nil,
	} {
		require.Equal(t, want, ids(e.Code("python", code)), code)
	}
	require.Equal(t, []string{"tls"}, ids(e.Code("go", "package a\n\nfunc f() { c := &tls.Config{InsecureSkipVerify: true} }\n")))
	require.Equal(t, []string{"tls"}, ids(e.Code("go", "package a\n\nfunc f() { c.InsecureSkipVerify = true }\n")))
	require.Empty(t, ids(e.Code("go", "package a\n\nfunc f() { c.InsecureSkipVerify = false }\n")))
}

func ids(list []Match) []string {
	var out []string
	for _, m := range list {
		out = append(out, m.Rule.ID)
	}
	return out
}
