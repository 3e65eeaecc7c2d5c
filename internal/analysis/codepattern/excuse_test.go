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

// A condition checks a value only where its failing branch leaves.
func TestChecksThatLeave(t *testing.T) {
	if Tier() != "tree" {
		t.Skip("needs syntax trees")
	}
	for _, c := range []struct{ language, code, want string }{
		{"python", "def f(a):\n    if a not in ALLOWED:\n        log.warning('bad %s', a)\n    sink(a)\n", "parameter"},
		{"python", "def f(a):\n    if a not in ALLOWED:\n        log.warning('bad')\n        return\n    sink(a)\n", ""},
		{"python", "def f(a):\n    if a not in ALLOWED:\n        raise ValueError(a)\n    sink(a)\n", ""},
		{"python", "def f(a):\n    if a not in ALLOWED:\n        abort(400)\n    sink(a)\n", ""},
		{"python", "def f(a):\n    if a in ALLOWED:\n        sink(a)\n", ""},
		{"python", "def f(a):\n    if a not in ALLOWED:\n        print(a)\n    else:\n        sink(a)\n", ""},
		{"python", "def f(a):\n    if a not in ALLOWED:\n        print(a)\n        a = 'x'\n    sink(a)\n", ""},
		{"javascript", "function f(a) {\n  if (!ALLOWED.includes(a)) { res.status(400).send('no'); }\n  sink(a);\n}", "parameter"},
		{"javascript", "function f(a) {\n  if (!ALLOWED.includes(a)) { return res.status(400).send('no'); }\n  sink(a);\n}", ""},
		{"javascript", "function f(a) {\n  if (!ALLOWED.includes(a)) console.warn(a);\n  sink(a);\n}", "parameter"},
		{"go", "func f(a string) {\n\tif a != \"x\" {\n\t\tlog.Printf(\"bad\")\n\t}\n\tsink(a)\n}", "parameter"},
		{"go", "func f(a string) {\n\tif a != \"x\" {\n\t\thttp.Error(w, \"bad\", 400)\n\t\treturn\n\t}\n\tsink(a)\n}", ""},
		{"go", "func f(a string) {\n\tif a != \"x\" {\n\t\tlog.Fatal(\"bad\")\n\t}\n\tsink(a)\n}", ""},
		{"java", "class A { void f(String a) { if (!\"asc\".equals(a)) { log.warn(\"bad\"); } sink(a); } }", "parameter"},
		{"ruby", "def f(a)\n  unless ALLOWED.include?(a)\n    logger.warn('bad')\n  end\n  sink(a)\nend", "parameter"},
		{"ruby", "def f(a)\n  unless ALLOWED.include?(a)\n    raise 'bad'\n  end\n  sink(a)\nend", ""},
		{"php", "function f($a) { if (!in_array($a, ['x'])) { error_log('bad'); } sink($a); }", "parameter"},
		{"php", "function f($a) { if (!in_array($a, ['x'])) { error_log('bad'); exit; } sink($a); }", ""},
	} {
		got := ""
		for _, m := range engine(t, flowRule(c.language)).Code(c.language, c.code) {
			got = m.Origin.String()
		}
		require.Equal(t, c.want, got, c.code)
	}
}

// What a class of the hunk declares itself is not the library's method of that name.
func TestOwnClassMethods(t *testing.T) {
	if Tier() != "tree" {
		t.Skip("needs syntax trees")
	}
	rule := flowRule("ruby")
	rule.Triggers, rule.Calls = []string{`sink`}, []Call{{Callee: []string{"*.sink", "sink"}}}
	own := "class Bar\n  def self.sink(x)\n    true\n  end\nend\n"
	for code, want := range map[string]int{
		own + "Bar.sink(params[:a])":                                                  0,
		own + "Foo.sink(params[:a])":                                                  1,
		own + "class Foo\n  def go\n    1\n  end\nend\nFoo.sink(params[:a])":          1,
		"class Bar\n  def self.go(x)\n    Db.sink(x)\n  end\nend\nBar.go(params[:a])": 1,
	} {
		require.Len(t, engine(t, rule).Code("ruby", code), want, code)
	}
}
