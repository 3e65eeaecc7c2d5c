package reading

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
)

// A finding may have a title of its own; what stands below it is said of it.
func TestFindingsWithTitles(t *testing.T) {
	f := reader(t)
	f.Markers = []string{"finding", "challenge", "issue"}
	require.NoError(t, f.Compile(pattern.Checked))
	for name, test := range map[string]struct {
		text string
		want []string
	}{
		"headings with numbers": {"### Challenge 1: Slow\n- Why: a\n- Alternative: b\n\nMore.\n### Challenge 2\nText of it.\n", []string{"Slow\nWhy: a\nAlternative: b\nMore.", "Text of it."}},
		"bold lines": {"**Challenge 1: Slow**\nWhy.\n**Challenge 2: Big**\nWhy.\n", []string{
			"Slow",
			"Big",
		}},
		"lines": {"Challenge 1: Slow\nAlternative: fast.\n\nChallenge 2: Big\n", []string{
			"Slow",
			"Big",
		}},
		"items": {
			"- Challenge: Slow. Alternative: fast.\n- Challenge: Big.\n  - more\n",
			[]string{"Slow", "Big"},
		},
		"severity in a heading": {
			"### [CRITICAL] Slow in a.go\n- Fix: x\n### 2. CRITICAL: Big\n",
			[]string{"CRITICAL Slow", "CRITICAL Big"},
		},
		"numbered below a section": {
			"## Findings\n### 1. Slow\n- File: a.go\n- Fix: x\n### 2. Big\n- Fix: y\n",
			[]string{"Slow", "Big"},
		},
		"numbered without section": {"### 1. Slow\n- a\n", nil},
		"a section of them":        {"## Concerns\n- Slow\n- Big\n## Notes\n- a\n", []string{"Slow", "Big"}},
		"a section after one":      {"### Issue 1: Slow\n- a\n## Notes\n- b\n- c\n", []string{"Slow"}},
		"severity of a plain line": {
			"CRITICAL: this path is hot.\n[info] so is this.\n**Warning** and this\n",
			[]string{"CRITICAL this path is hot.", "INFO so is this.", "WARNING and this"},
		},
		"severity within a line": {"The path is hot. CRITICAL: it burns.\n  WARNING: quoted\nCritical paths are hot.\n", nil},
		"severity of nothing":    {"CRITICAL: none\nWARNING: No issues found.\n- INFO: n/a\n", nil},
		"none":                   {"Challenge 1: none\n", nil},
		"word of prose":          {"The challenge is big. Issue tracking works.\nIssues are closed.\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			found, _ := f.Findings(Read(test.text, 1000))
			require.Len(t, found, len(test.want), "%v", found)
			for i, one := range found {
				got := strings.TrimSpace(fmt.Sprintf("%s %s", one.Severity, strings.TrimSpace(one.Text)))
				require.True(t, strings.HasPrefix(got, test.want[i]), "%q", got)
			}
		})
	}
}
