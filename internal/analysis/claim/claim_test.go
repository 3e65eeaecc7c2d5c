package claim_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/claim"
	_ "github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern/re2" // as services do
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

func reader(t testing.TB) *claim.Reader {
	r, err := claim.New(rules.Default())
	require.NoError(t, err)
	return r
}

// shown is a claim as the cases write it.
func shown(c *claim.Claim) string {
	out := []string{string(c.Kind)}
	for _, flag := range []struct {
		set  bool
		name string
	}{{c.Scope.Entire, "entire"}, {c.Scope.Loose, "loose"}, {c.Scope.Partly, "partly"}, {c.Scope.Unit, "unit"}} {
		if flag.set {
			out = append(out, flag.name)
		}
	}
	if c.Scope.Count > 0 {
		out = append(out, fmt.Sprint(c.Scope.Count))
	}
	out = append(out, c.Scope.Suites...)
	if len(c.Named) > 0 {
		out = append(out, "("+strings.Join(c.Named, ", ")+")")
	}
	return strings.Join(out, " ")
}

// Each case is a sentence, "=>" and the claims in it (JD-10, JD-11, JD-16); none for "nothing".
func TestWhatSentencesClaim(t *testing.T) {
	r := reader(t)
	text, err := os.ReadFile("testdata/sentences.txt")
	require.NoError(t, err)
	cases := 0
	for n, line := range strings.Split(string(text), "\n") {
		sentence, want, found := strings.Cut(line, " => ")
		if !found {
			require.True(t, line == "" || strings.HasPrefix(line, "#"), "line %d: %q", n+1, line)
			continue
		}
		cases++
		before := ""
		if begin, rest, marked := strings.Cut(sentence, "^"); marked { // the beginning of its line
			before, sentence = begin, rest
		}
		var got []string
		for _, c := range r.Read(sentence, before) {
			got = append(got, shown(&c))
			assert.Equal(t, strings.TrimSpace(sentence[c.Offset:c.Offset+c.Length]) != "", true, "line %d: the place of a claim", n+1)
		}
		if got == nil {
			got = []string{"nothing"}
		}
		assert.Equal(t, want, strings.Join(got, "; "), "line %d: %s", n+1, sentence)
	}
	require.GreaterOrEqual(t, cases, 110)
}

// Nothing panics, and a claim lies within its sentence.
func FuzzRead(f *testing.F) {
	r := reader(f)
	f.Add("All tests pass and I committed the changes.", "- ")
	f.Add("模든 测试都通过了 `a`, and created \"x.go\" — done", "> ")
	f.Fuzz(func(t *testing.T, sentence, line string) {
		for _, c := range r.Read(sentence, line) {
			require.GreaterOrEqual(t, c.Offset, 0)
			require.LessOrEqual(t, c.Offset+c.Length, len(sentence))
		}
	})
}
