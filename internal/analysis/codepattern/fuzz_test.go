package codepattern

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/syntax"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Each reader of a language is fuzzed by itself: go test -fuzz FuzzPython ./internal/analysis/codepattern

func FuzzPython(f *testing.F) {
	fuzz(f, "python", "def f(a):\n    x = f'{a}' % (a, *b)\n    sink(x)\n", "        a\n    sink(\n  \"\"\"\n",
		"def f(a):\n    l = []\n    l.append(a)\n    l.pop(0)\n    match l[-1]:\n        case 'x':\n            sink(l[0])\n")
}

func FuzzJavaScript(f *testing.F) {
	fuzz(f, "javascript", "const {a, b: {c}} = req.body; sink(`${a}`); x => sink(x)", "const o = {a: f, ...b}; o.push(1); switch (o.a) { case 1: sink(o['a']) }")
}

func FuzzTypeScript(f *testing.F) {
	fuzz(f, "typescript", "class A { m(a: string) { sink(a!) } }", "const m = new Map<string, string>([['a', b]]); sink(m.get('a') as string)")
}

func FuzzGo(f *testing.F) {
	fuzz(f, "go", "func f(a string) {\n\tsink(fmt.Sprintf(\"%s %[1]d %*d\", a))\n}", "func f(a string) {\n\to := t{n: a}\n\tif err := json.Unmarshal(b, &o); err != nil {\n\t\tsink(o.n)\n\t}\n}")
}

func FuzzJava(f *testing.F) {
	fuzz(f, "java", "class A { void f(String a) { sink(\"x\" + a); } }", "class A { void f(String a) { List l = new ArrayList(); l.add(a); l.remove(0); switch (\"A\".charAt(0)) { case 'A': sink(l.get(0)); default: } } }")
}

func FuzzRuby(f *testing.F) {
	fuzz(f, "ruby", "def f(a)\n  sink(\"#{a}\")\nend", "def f(a)\n  h = { b: a, 'c' => <<~X }\n    #{a}\n  X\n  sink(h[:b])\nend")
}

func FuzzPHP(f *testing.F) {
	fuzz(f, "php", "function f($a) { sink(\"x $a {$b['c']}\"); }", "<?php $o = ['a' => $b, ...$c]; $o[] = 1; switch ($o['a']) { case 1: sink($o['a']); }")
}

// fuzz reads any code of a language, added in part: no panic, and matches are in the added text.
func fuzz(f *testing.F, language string, seeds ...string) {
	r := flowRule(language)
	r.Regex, r.PlainConfidence = `sink\(`, 0.5
	r.Pairs = []Pair{{Key: []string{"*key*"}}}
	e := engine(f, r)
	for i, seed := range seeds {
		f.Add(uint16(i), seed)
	}
	f.Fuzz(func(t *testing.T, marks uint16, code string) {
		hunk := sessionevents.Hunk{NewStart: 5}
		added := ""
		for i, l := range splitLines(code) {
			mark := " "
			if marks>>(i%16)&1 == 0 {
				mark = "+"
				if added != "" || i > 0 && len(added) == 0 && hasAdded(&hunk) {
					added += "\n"
				}
				added += l
			}
			hunk.Lines = append(hunk.Lines, mark+l)
		}
		s := &sessionevents.Segment{Language: language, Diff: &sessionevents.Diff{Hunks: []sessionevents.Hunk{hunk}}, Imports: syntax.Imports(language, code)}
		for _, m := range e.Segment(s, nil) {
			require.GreaterOrEqual(t, m.Offset, 0)
			require.GreaterOrEqual(t, m.Length, 0)
			require.LessOrEqual(t, m.Offset+m.Length, len(added))
			require.NotNil(t, m.Rule)
			m.Identifiers()
		}
	})
}

func hasAdded(h *sessionevents.Hunk) bool {
	for _, l := range h.Lines {
		if l[0] == '+' {
			return true
		}
	}
	return false
}

func splitLines(code string) []string {
	var out []string
	start := 0
	for i := range len(code) {
		if code[i] == '\n' {
			out = append(out, code[start:i])
			start = i + 1
		}
	}
	return append(out, code[start:])
}
