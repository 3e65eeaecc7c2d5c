package codepattern

import (
	"strings"
	"testing"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// BenchmarkSegment reads 4 KB that are added: without a trigger, and with one in
// a function of 40 lines.
func BenchmarkSegment(b *testing.B) {
	e := engine(b, flowRule("python"))
	filler := strings.Repeat("    value = client.request(path, timeout=30)  # call it\n", 70)
	for name, code := range map[string]string{
		"none": "def f(a):\n" + filler,
		"one":  "def f(a):\n" + filler[:len(filler)/2] + "\ndef g(a):\n" + filler[:len(filler)/3] + "    sink(f'x {a}')\n",
	} {
		s := &sessionevents.Segment{Language: "python", Diff: &sessionevents.Diff{Hunks: []sessionevents.Hunk{{NewStart: 1}}}}
		for _, l := range strings.Split(code, "\n") {
			s.Diff.Hunks[0].Lines = append(s.Diff.Hunks[0].Lines, "+"+l)
		}
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(code)))
			for b.Loop() {
				e.Segment(s, nil)
			}
		})
	}
}
