package pagetemplate_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/codepattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pagetemplate"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

func segment(path, text string) *sessionevents.Segment {
	h := sessionevents.Hunk{NewStart: 1}
	for _, l := range strings.Split(text, "\n") {
		h.Lines = append(h.Lines, "+"+l)
	}
	return &sessionevents.Segment{Path: path, Diff: &sessionevents.Diff{Hunks: []sessionevents.Hunk{h}}}
}

// Each case is a file after "#", its lines, and what is found after ">": the origin and the value.
func TestCases(t *testing.T) {
	r, err := pagetemplate.New(rules.Checked(nil))
	require.NoError(t, err)
	text, err := os.ReadFile("testdata/cases.txt")
	require.NoError(t, err)
	covered := map[string]bool{}
	for _, one := range strings.Split("\n"+string(text), "\n# ")[1:] {
		file, rest, _ := strings.Cut(one, "\n")
		var lines, want, got []string
		for _, line := range strings.Split(strings.TrimRight(rest, "\n"), "\n") {
			if found, is := strings.CutPrefix(line, "> "); is {
				want = append(want, found)
			} else {
				lines = append(lines, line)
			}
		}
		code := strings.Join(lines, "\n")
		for _, m := range r.Read(segment(file, code)) {
			origin := "unknown"
			if m.Origin == codepattern.Request {
				origin = "request"
			}
			got = append(got, origin+" "+m.Value)
			covered[m.Rule.ID] = true
			require.Contains(t, code[m.Offset:m.Offset+m.Length], m.Value)
			require.Contains(t, lines[m.Line-1], m.Value)
		}
		require.Equal(t, want, got, "%s\n%s", file, code)
	}
	require.GreaterOrEqual(t, len(covered), 13, "every rule has a case")
}

func FuzzRead(f *testing.F) {
	r, err := pagetemplate.New(rules.Default())
	require.NoError(f, err)
	f.Add("a.ejs", "<%- user.bio %>")
	f.Add("a.vue", `<p v-html="x"></p><script>const x = location.hash`)
	f.Fuzz(func(t *testing.T, path, text string) {
		for _, m := range r.Read(segment(path, text)) {
			require.NotEmpty(t, m.Value)
			require.LessOrEqual(t, m.Offset+m.Length, len(text))
		}
	})
}
