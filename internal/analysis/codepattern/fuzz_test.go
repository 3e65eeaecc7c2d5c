package codepattern

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/syntax"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Any code, in any language, added in part: no panic, and matches lie in the
// added text.
func FuzzSegment(f *testing.F) {
	var list []Rule
	languages := []string{"python", "javascript", "typescript", "go", "java", "ruby", "php"}
	for _, language := range languages {
		r := flowRule(language)
		r.ID += language
		r.Regex, r.PlainConfidence = `sink\(`, 0.5
		r.Pairs = []Pair{{Key: []string{"*key*"}}}
		list = append(list, r)
	}
	e := engine(f, list...)
	f.Add(uint8(0), uint16(1), "def f(a):\n    x = f'{a}' % (a, *b)\n    sink(x)\n")
	f.Add(uint8(1), uint16(3), "const {a, b: {c}} = req.body; sink(`${a}`); x => sink(x)")
	f.Add(uint8(2), uint16(7), "class A { m(a: string) { sink(a!) } }")
	f.Add(uint8(3), uint16(2), "func f(a string) {\n\tsink(fmt.Sprintf(\"%s %[1]d %*d\", a))\n}")
	f.Add(uint8(4), uint16(5), "class A { void f(String a) { sink(\"x\" + a); } }")
	f.Add(uint8(5), uint16(9), "def f(a)\n  sink(\"#{a}\")\nend")
	f.Add(uint8(6), uint16(1), "function f($a) { sink(\"x $a {$b['c']}\"); }")
	f.Add(uint8(0), uint16(0), "        a\n    sink(\n  \"\"\"\n")
	f.Fuzz(func(t *testing.T, which uint8, marks uint16, code string) {
		language := languages[int(which)%len(languages)]
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
