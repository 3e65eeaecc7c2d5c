package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/workspace/experiment"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// shopWithFailingTests returns a project whose tests fail, with the person's yes to run them.
func shopWithFailingTests(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip("make is not installed")
	}
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	folder, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	recipe := []byte("test:\n\t@touch ran; echo '1 passed, 2 failed'; exit 1\n")
	require.NoError(t, os.WriteFile(filepath.Join(folder, "Makefile"), recipe, 0o644))
	finder, err := experiment.New(rules.Default())
	require.NoError(t, err)
	command, found := finder.Find(folder, sessionevents.CheckTest)
	require.True(t, found)
	consents, err := experiment.Default()
	require.NoError(t, err)
	require.NoError(t, consents.Give(folder, command))
	return folder
}

// claims that all tests pass, after a change, as an agent would say it.
func (a *hookedAgent) claims(folder string, n string) {
	a.hook("UserPromptSubmit", fields{"cwd": folder, "prompt": "Add the discount to the cart and run the tests."})
	input := fields{"file_path": filepath.Join(folder, "cart"+n+".go"), "content": "package shop\n"}
	call := fields{"tool_name": "Write", "tool_use_id": "w" + n, "tool_input": input, "cwd": folder}
	a.hook("PreToolUse", call)
	call["tool_response"] = "ok"
	a.hook("PostToolUse", call)
	a.hook("PostToolBatch", fields{"cwd": folder, "tool_calls": []any{call}})
	a.hook("Stop", fields{"cwd": folder, "last_assistant_message": "I added the discount. All tests pass."})
}

// JD-21: where the configuration asks for it, the tests that a response says pass are run once it is
// complete, and the receipt outranks what it says.
func TestChecksAfterAResponse(t *testing.T) {
	folder := shopWithFailingTests(t)
	s := start(t, func(c *config.Config) { c.Hooks.Wait, c.Hooks.RunChecks = 0, true })
	s.awaitHooks()
	a := &hookedAgent{running: s, name: "claude-code", session: "checks-1"}
	a.claims(folder, "1")
	require.Eventually(t, func() bool {
		model, err := decisions.ReadReport(t.Context(), s.broker, "checks-1")
		return err == nil && model.Done != nil && len(model.Done.Receipts) == 1
	}, patience, 50*time.Millisecond, "%s", s.log.Bytes())
	model, err := decisions.ReadReport(t.Context(), s.broker, "checks-1")
	require.NoError(t, err)
	receipt := model.Done.Receipts[0]
	require.Equal(t, "make test", receipt.Command)
	require.Equal(t, "Makefile", receipt.From)
	require.Equal(t, sessionevents.ByConfiguration, receipt.By)
	require.Equal(t, model.Turns, receipt.Turn)
	require.Equal(t, sessionevents.Contradicted, model.Done.Claims[0].Verdict)
	require.Contains(t, model.Done.Claims[0].Why, "failed (exit 2) when it was run after the response")
}

// Nothing of the project runs unless the configuration says so, whatever a person let run by hand.
func TestNothingRunsByDefault(t *testing.T) {
	folder := shopWithFailingTests(t)
	s := hooked(t, 0)
	a := &hookedAgent{running: s, name: "claude-code", session: "checks-2"}
	a.claims(folder, "1")
	require.Eventually(t, func() bool {
		model, err := decisions.ReadReport(t.Context(), s.broker, "checks-2")
		return err == nil && model.Done != nil && len(model.Done.Claims) > 0
	}, patience, 50*time.Millisecond)
	time.Sleep(time.Second) // that nothing runs has no sign of its own; where it is wanted, it runs within this time
	require.NoFileExists(t, filepath.Join(folder, "ran"))
}
