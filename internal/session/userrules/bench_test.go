package userrules

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect/detecttest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect/scenario"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// BenchmarkRun is one rule over a turn of 16 KB: prose, a search, an edit of 200
// lines, a test run.
func BenchmarkRun(b *testing.B) {
	set, err := ruleSet(b, prints)
	require.NoError(b, err)
	list, err := Detectors(set)
	require.NoError(b, err)
	instance, err := list[0].New(set)
	require.NoError(b, err)
	edit := strings.Repeat("    value = self.client.request(path, timeout=30)  # as before\n", 200)
	script := "turn\nuser Fix a.py.\nplan " + strings.Repeat("I look at it. ", 100) + "\nsearch \"x\" in src\n  a.py: x\nwrite a.py\n" +
		strings.ReplaceAll("  "+strings.TrimSpace(edit), "\n    ", "\n  ") + "\nshell go test ./...\n  ok\n----\n"
	parsed, err := scenario.Parse(script)
	require.NoError(b, err)
	pass := detecttest.NewSession(b, rules.Default(), nil).Next(parsed.Steps[0].Turn)
	pass.State = instance.NewState()
	b.ReportAllocs()
	for b.Loop() {
		instance.Run(pass)
	}
}
