package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/alone"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/hookapi/wire"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sessionreport"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// personsWork is a repository with a file that a person changed and did not commit.
func personsWork(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"},
		{"config", "user.name", "a"},
		{"config", "user.email", "a@example.org"},
		{"commit", "-q", "--allow-empty", "-m", "first"},
	} {
		command := exec.Command("git", args...)
		command.Dir = dir
		out, err := command.CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "thesis.md"), []byte("chapter one\n"), 0o600))
	return dir
}

// guardEvents are the guard's answers in DECISIONS.
func (s *running) guardEvents() (list []events.Event) {
	s.decisions(func(e events.Event) {
		if e.Type == sessionevents.TypeGuardDecided {
			list = append(list, e)
		}
	})
	return list
}

// What is denied through a hook is in DECISIONS, feed and report, whose words do not say that nothing
// happened; the denied call is part of its turn as a rejected one, and a replay decides the same (GD-21).
func TestADenialIsSeen(t *testing.T) {
	s := hooked(t, time.Minute)
	dir := personsWork(t)
	a := &hookedAgent{running: s, name: "claude-code", session: "guard-1"}
	where := func(more fields) fields { more["cwd"] = dir; return more }
	a.hook("SessionStart", where(fields{"source": "startup"}))
	a.hook("UserPromptSubmit", where(fields{"prompt": "Fix the totals."}))
	input := fields{"command": "rm -rf thesis.md"}
	call := where(fields{"tool_name": "Bash", "tool_use_id": "toolu_1", "tool_input": input})
	require.Contains(t, a.hook("PreToolUse", call), `"permissionDecision":"deny"`)
	a.hook("PreToolUse", call) // an agent that asks twice
	a.hook("Stop", where(fields{"last_assistant_message": "I leave the file alone.", "stop_hook_active": false}))
	a.hook("SessionEnd", where(fields{"reason": "other"}))
	s.decided(1)
	require.Eventually(t, func() bool { return len(s.guardEvents()) == 1 }, patience, 20*time.Millisecond)

	event := s.guardEvents()[0]
	decided := event.Data.(*sessionevents.GuardDecided)
	require.Equal(t, sessionevents.GuardDenied, decided.Happened())
	require.Equal(t, filepath.Join(dir, "thesis.md"), decided.Acts[0].Target)
	theme := terminal.New(&bytes.Buffer{}, func(string) string { return "" })
	require.Contains(t, theme.Feed(event), "✗ denied: rm -rf thesis.md")

	model, err := decisions.ReadReport(t.Context(), s.broker, "guard-1")
	require.NoError(t, err)
	require.Equal(t, 1, model.Prevented.Denied)
	require.NotContains(t, sessionreport.Summary(model), "interrupts")
	for _, turn := range model.TurnByTurn {
		require.Empty(t, turn.Edited, "a denied call edits nothing")
	}
	s.replays()
}

// What hooks decided while nothing answered is taken in once, whatever is given twice (GD-20).
func TestTheSpoolIsTakenIn(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "hook")
	spool := alone.SpoolOf(folder)
	event := wire.GuardEvent(&sessionevents.GuardDecided{
		Session: "alone-1", Call: "c1", Verdict: sessionevents.HookDeny, Command: "git checkout .", Alone: true, Acts: []sessionevents.GuardAct{{Act: "discard", Target: "/r/a.txt"}},
	}, "alone-1", "")
	event.Time = time.Date(2026, 11, 28, 9, 0, 0, 0, time.UTC)
	require.NoError(t, spool.Put(event))
	s := start(t, func(c *config.Config) { c.Hooks.Spool = spool.Folder })
	require.Eventually(t, func() bool { return len(s.guardEvents()) == 1 }, patience, 20*time.Millisecond)
	require.Equal(t, event.Time, s.guardEvents()[0].Time)
	require.NoError(t, spool.Put(event)) // as after a crash between the broker's answer and the removal
	other := *event.Data.(*sessionevents.GuardDecided)
	other.Call = "c2"
	later := wire.GuardEvent(&other, "alone-1", "")
	later.Time = event.Time.Add(time.Minute)
	require.NoError(t, spool.Put(later))
	require.Eventually(t, func() bool { return len(s.guardEvents()) >= 2 }, patience, 20*time.Millisecond)
	require.Len(t, s.guardEvents(), 2)
	model, err := decisions.ReadReport(t.Context(), s.broker, "alone-1")
	require.NoError(t, err)
	require.Equal(t, 2, model.Prevented.Denied)
	require.Contains(t, model.Prevented.Calls[0].What(), "decided by the hook alone")
}
