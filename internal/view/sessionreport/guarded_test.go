package sessionreport

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/prevented"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

func guarded(id string, d sessionevents.GuardDecided) events.Event {
	d.Session = "s"
	return events.Event{ID: id, Type: sessionevents.TypeGuardDecided, Subject: "s", Data: &d}
}

// GD-21: what was denied, kept or warned of is the first thing that a report tells, and a
// report of a session in which something was denied never says that nothing was sent.
func TestPrevented(t *testing.T) {
	f := New("s")
	f.Apply(events.Event{
		ID: "t1", Type: sessionevents.TypeTurnEvaluated, Subject: "s",
		Data: &sessionevents.TurnEvaluated{Session: "s", Turn: 1, Signals: []string{}},
	})
	f.Apply(guarded("g1", sessionevents.GuardDecided{
		Turn: 2, Command: "git checkout .", Verdict: sessionevents.HookDeny, Class: sessionevents.HookDestructive, Rule: "E3",
		Acts: []sessionevents.GuardAct{
			{Act: "discard", Target: "/r/a.txt", Owner: "person"}, {Act: "discard", Target: "/r/b.txt", Owner: "session:s2"},
		},
	}))
	f.Apply(guarded("g2", sessionevents.GuardDecided{
		Turn: 3, Command: "git reset --hard", Verdict: sessionevents.HookWarn, Class: sessionevents.HookDestructive, Rule: "E3", RescueRef: "refs/scaffoldwatch/rescue/s-3",
		Acts: []sessionevents.GuardAct{
			{Act: "discard", Target: "/r/a.txt", Owner: "person"},
		}, Permission: &sessionevents.GuardPermission{How: sessionevents.GuardAsked},
	}))
	f.Apply(guarded(
		"other",
		sessionevents.GuardDecided{
			Verdict: sessionevents.HookWarn, Class: sessionevents.HookSecurity, Rule: "B1", Text: "A key <script> is written.",
		},
	))
	m := f.Result()
	require.Equal(t, prevented.Counts{Denied: 1, Kept: 1, Warned: 1}, m.Prevented.Counts)

	var text, markdown, html, data bytes.Buffer
	require.NoError(t, RenderText(&text, m, 100, nil))
	require.NoError(t, RenderMarkdown(&markdown, m))
	require.NoError(t, RenderHTML(&html, m))
	require.NoError(t, RenderJSON(&data, m))
	for _, form := range []string{text.String(), markdown.String(), html.String()} {
		require.Contains(t, form, "3 calls prevented or secured: 1 denied, 1 kept first, 1 warned of")
		require.Contains(t, form, "[Turn 2] ✗ denied: git checkout .")
		require.Contains(t, form, "/r/b.txt of session s2")
		require.Contains(t, form, "⤓ kept: git reset --hard")
		require.Contains(t, form, "scaffoldwatch rescue restore s-3")
		require.Contains(t, form, "the person had asked for it")
		require.NotContains(t, form, "nothing was sent")
		require.NotContains(t, form, "nothing to say")
	}
	require.NotContains(t, html.String(), "<script>")
	require.Contains(t, markdown.String(), "**Interrupts fired:** 0/3, and 1 call denied before it ran")
	require.NotContains(t, Summary(m), "nothing to say")
	require.Contains(t, Summary(m), "1 denied")
	var read Model
	require.NoError(t, json.Unmarshal(data.Bytes(), &read))
	require.Equal(t, *m.Prevented, *read.Prevented)

	quiet := New("s")
	quiet.Apply(events.Event{
		ID: "t1", Type: sessionevents.TypeTurnEvaluated, Subject: "s",
		Data: &sessionevents.TurnEvaluated{Session: "s", Turn: 1, Signals: []string{}},
	})
	require.Nil(t, quiet.Result().Prevented)
	require.Contains(t, Summary(quiet.Result()), "nothing to say")
}

// A session that is refused one thing after the other does not make its report endless.
func TestPreventedIsBounded(t *testing.T) {
	f := New("s")
	for range maxPrevented + 7 {
		f.Apply(guarded("g", sessionevents.GuardDecided{Verdict: sessionevents.HookDeny, Command: "rm -rf x"}))
	}
	m := f.Result()
	require.Len(t, m.Prevented.Calls, maxPrevented)
	require.Equal(t, maxPrevented+7, m.Prevented.Denied)
	require.Equal(t, "7 more calls are not listed.", m.Prevented.Rest())
}

// CO-5: the guard names the workspace of a session that nothing else names.
func TestWorkspaceFromTheGuard(t *testing.T) {
	f := New("s")
	f.Apply(guarded("g", sessionevents.GuardDecided{Verdict: sessionevents.HookDeny, Command: "rm -rf x", Workspace: "/srv/shop"}))
	require.Equal(t, "/srv/shop", f.Result().Session.Workspace)
}

// What the guard said before a tool ran is not said again, so the agent was told it (GD-21, JD-43).
func TestToldByTheGuard(t *testing.T) {
	f := New("s")
	f.Apply(guarded("g", sessionevents.GuardDecided{
		Turn: 1, Verdict: sessionevents.HookWarn, Class: sessionevents.HookSecurity, Rule: "B1", Text: "Credential in pay.py; move it.",
	}))
	fire := func(id, message string, turn int) {
		f.Apply(events.Event{ID: id, Type: sessionevents.TypeInterruptFired, Subject: "s", Data: &sessionevents.InterruptFired{
			Session: "s", ID: id, Turn: turn, Layer: sessionevents.LayerSession, Detector: "B1", Message: message,
		}})
	}
	fire("i1", "Something else.", 1)
	require.Contains(t, f.Result().Happened(), "It would have been told 1 thing.")
	fire("i2", "Credential in pay.py; move it.", 1)
	require.Contains(t, f.Result().Happened(), "It was told 2 things.")
}

// CO-5: a line of a list names a session as a person would.
func TestSummaryNamesTheSession(t *testing.T) {
	m := Model{}
	m.Session.ID, m.Session.Workspace, m.Session.Task = "03a1382e-ecd5-42c4-b3d4-5c659e165904", "/home/me/shop", "fix the login form"
	require.Regexp(t, `^03a138 shop “fix the login form”: `, Summary(m))
	m.Session.ID = "csv-export"
	require.Regexp(t, `^csv-export: `, Summary(m))
	m.Session.Closed, m.Session.Reason = true, endOfFile
	require.Equal(t, "Session csv-export, closed", identity(m))
	m.Session.Reason = "idle_timeout"
	require.Equal(t, "Session csv-export, closed (idle timeout)", identity(m))
}
