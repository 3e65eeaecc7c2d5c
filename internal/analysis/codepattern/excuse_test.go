package codepattern

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What excuses a place is in its function or around it, not elsewhere in the hunk.
func TestUnlessOfTheFunction(t *testing.T) {
	if Tier() != "tree" {
		t.Skip("needs syntax trees")
	}
	python := Rule{ID: "unpack", Languages: []string{"python"}, Triggers: []string{`unpack\(`}, Unless: []string{`filter=`}, Calls: []Call{{Callee: []string{"*.unpack"}}}, Confidence: 0.6}
	script := python
	script.Languages = []string{"javascript"}
	for code, want := range map[string]int{
		"def a(t):\n    t.unpack()\ndef b(t):\n    u.open(filter='data')\n":                      1,
		"def a(t):\n    t.unpack(filter='data')\n":                                               0,
		"def a(t):\n    options = dict(filter='data')\n    t.unpack(**options)\n":                0,
		"@tool(filter='data')\ndef a(t):\n    t.unpack()\n":                                      0,
		"def a(t):\n    x = dict(filter='data')\n    def b():\n        t.unpack(x)\n":            0,
		"def a(t):\n    def c():\n        f(filter='data')\n    def b():\n        t.unpack(x)\n": 1,
		"x = dict(filter='data')\nt.unpack(x)\n":                                                 0,
		"t.unpack(x)\ndef a():\n    f(filter='data')\n":                                          1,
	} {
		require.Len(t, engine(t, python).Code("python", code), want, code)
	}
	for code, want := range map[string]int{
		"module.exports = (app) => {\n  app.get('/a', (q) => { q.unpack(); });\n  app.get('/b', (q) => { filter=1; });\n};\n": 1,
		"app.get('/a', (q) => {\n  let filter=1;\n  open((f) => { f.unpack(); });\n});\n":                                     0,
	} {
		require.Len(t, engine(t, script).Code("javascript", code), want, code)
	}
}
