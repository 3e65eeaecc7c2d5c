package codepattern

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A model counts where the hunk shows whose function it is, and only there.
func TestModels(t *testing.T) {
	if Tier() != "tree" {
		t.Skip("needs syntax trees")
	}
	rule := func(language string, m Model) Rule {
		return Rule{ID: "model", Languages: []string{language}, Models: []Model{m}, Flow: &Flow{Category: "sql", Direct: map[string]float64{"request": 0.9}}}
	}
	java := Model{Package: "org.lib.db", Type: "Store", Names: "fetch Store"}
	golang := Model{Package: "example.com/lib/db", Type: "Conn", Argument: 1, Names: "Exec"}
	script := Model{Package: "lib-db", Type: "*", Names: "manyOf"}
	cases := []struct {
		language, code string
		model          Model
		found          int
	}{
		{"java", "import org.lib.db.Store; class A { Store s; void f(HttpServletRequest request) { s.fetch(request.getParameter(\"q\")); } }", java, 1},
		{"java", "import org.lib.db.Store; class A { void f(HttpServletRequest request) { new Store(request.getParameter(\"q\")); } }", java, 1},
		{"java", "import org.lib.db.*; class A { void f(HttpServletRequest request) { make().fetch(request.getParameter(\"q\")); } }", java, 1},
		{"java", "import org.other.Store; class A { Store s; void f(HttpServletRequest request) { s.fetch(request.getParameter(\"q\")); } }", java, 0},
		{"java", "import org.lib.db.Store; class A { Dog d; void f(HttpServletRequest request) { d.fetch(request.getParameter(\"q\")); } }", java, 0},
		{"java", "import org.lib.db.Store; class A { Store s; void f() { s.fetch(\"a\"); } }", java, 0},
		{"go", "package a\nimport (\n\t\"example.com/lib/db/v3\"\n)\nfunc f(c *db.Conn, r *http.Request) {\n\tc.Exec(ctx, r.FormValue(\"q\"))\n}", golang, 1},
		{"go", "package a\nimport (\n\t\"example.com/lib/db\"\n)\nfunc f(c *dog.Walk, r *http.Request) {\n\tc.Exec(ctx, r.FormValue(\"q\"))\n}", golang, 0},
		{"javascript", "const db = require('lib-db')();\nfunction f(req) { db.manyOf(req.query.q); }", script, 1},
		{"javascript", "function f(req, db) { db.manyOf(req.query.q); }", script, 0},
	}
	for _, c := range cases {
		require.Len(t, engine(t, rule(c.language, c.model)).Code(c.language, c.code), c.found, c.code)
	}
}

// What does not restrict a value does not clean it.
func TestWhatCleansNothing(t *testing.T) {
	if Tier() != "tree" {
		t.Skip("needs syntax trees")
	}
	for language, bodies := range map[string]map[string]int{
		"python": {
			"h = request.headers\nif 'host' in h:\n    sink(h['host'])":    1,
			"q = request.args['q']\nif '..' in q:\n    raise E\nsink(q)":   0,
			"q = request.args['q']\nif row in find(q):\n    pass\nsink(q)": 1,
			"sink(req.POST['q'])": 1,
		},
		"javascript": {"const q = req.query.q;\nconst o = JSON.parse(q);\nsink(o.name)": 1},
		"go":         {"q, _ := base64.StdEncoding.DecodeString(r.FormValue(\"q\"))\nsink(string(q))": 1, "sink(quoteIdent(r.FormValue(\"q\")))": 0, "q, _ := strconv.Unquote(r.FormValue(\"q\"))\nsink(q)": 1},
	} {
		for body, found := range bodies {
			code := body
			if language == "go" {
				code = "package a\n\nfunc f(r *http.Request) {\n\t" + strings.ReplaceAll(body, "\n", "\n\t") + "\n}\n"
			}
			rule := flowRule(language)
			rule.Flow.Direct = map[string]float64{"request": 0.9}
			rule.Flow.Built = rule.Flow.Direct
			require.Len(t, engine(t, rule).Code(language, code), found, code)
		}
	}
}

// A method of the same object, or of a class of the hunk, gives what it returns.
func TestMethodsAreFollowed(t *testing.T) {
	if Tier() != "tree" {
		t.Skip("needs syntax trees")
	}
	code := "class A:\n    def raw(self):\n        return request.args['q']\n    def show(self):\n        sink(self.raw())\n"
	found := engine(t, flowRule("python")).Code("python", code)
	require.Len(t, found, 1)
	require.Equal(t, Request, found[0].Origin)
}

// A long file is read to its end: more places than the twelve pieces of before, in the time of one edit.
func TestALongFileIsReadToItsEnd(t *testing.T) {
	if Tier() != "tree" {
		t.Skip("needs syntax trees")
	}
	var b strings.Builder
	for i := range 200 {
		fmt.Fprintf(&b, "def view%d(request):\n    q = request.args['q']\n    sink('select ' + q)\n%s\n", i, strings.Repeat("    log(1)\n", 11))
	}
	e := engine(t, flowRule("python"))
	e.Code("python", b.String()) // makes the rules ready
	start := time.Now()
	require.Len(t, e.Code("python", b.String()), 200)
	t.Logf("%d lines in %s", strings.Count(b.String(), "\n"), time.Since(start))
}
