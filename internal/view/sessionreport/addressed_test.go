package sessionreport

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// forRunEvents are what a run says to the agent of one of its sessions.
func forRunEvents(session string) []events.Event {
	return []events.Event{
		{ID: "c1", Type: runevents.TypeCorrectionIssued, Subject: session, Data: &runevents.CorrectionIssued{
			Layer: sessionevents.LayerArchetype, Issue: "maker/rogue", Step: 1, Action: "correct", Text: "Write a test and commit.",
			Target: runevents.Recipient{Kind: "agent", ID: "maker", Session: session},
		}},
		{ID: "i1", Type: sessionevents.TypeInterruptFired, Subject: session, Data: &sessionevents.InterruptFired{
			Session: session, ID: "i1", Turn: 2, Layer: sessionevents.LayerWave, Detector: "SAW-COMMIT-MAIN", UrgencyLabel: "WP-4",
			Message: "Commit in your worktree.", Reason: "It committed on main.", Signals: []string{},
		}},
		{ID: "d1", Type: sessionevents.TypeInterruptDelivery, Subject: session, Data: &sessionevents.InterruptDelivery{
			Interrupt: "c1", Session: session, State: sessionevents.DeliveryEmitted, Channel: "hook:codex:PostToolUse", By: "scaffoldwatch hook",
		}},
		{
			ID: "d2", Type: sessionevents.TypeInterruptDelivery, Subject: session,
			Data: &sessionevents.InterruptDelivery{Interrupt: "nobody's", Session: session, State: sessionevents.DeliveryAcked},
		},
	}
}

// RW-40, DP-15: what a run says to its agents is told apart from the session's
// interrupts and takes nothing of their budget.
func TestSaidForTheRunIsApart(t *testing.T) {
	set := NewSet()
	set.Apply(events.Event{
		Type: sessionevents.TypeSessionOpened, Subject: "s", Data: &sessionevents.SessionOpened{Session: "s", Run: "r"},
	})
	for range 2 { // events may come twice
		for _, e := range forRunEvents("s") {
			set.Apply(e)
		}
	}
	m, ok := set.Result("s")
	require.True(t, ok)
	require.Empty(t, m.Interrupts)
	require.Equal(t, m.Budget, m.BudgetLeft)
	require.Equal(t, []Addressed{
		{
			ID: "c1", Kind: "correction", Layer: sessionevents.LayerArchetype, Issue: "maker/rogue", Step: 1, Message: "Write a test and commit.",
			Deliveries: []Delivery{
				{State: sessionevents.DeliveryEmitted, Channel: "hook:codex:PostToolUse", By: "scaffoldwatch hook"},
			},
		},
		{
			ID: "i1", Kind: "interrupt", Turn: 2, Layer: sessionevents.LayerWave, Issue: "WP-4",
			Message: "Commit in your worktree.", Reason: "It committed on main.", Deliveries: []Delivery{},
		},
	}, m.ForRun)

	var text, markdown, html bytes.Buffer
	require.NoError(t, RenderText(&text, m, 0, nil))
	require.NoError(t, RenderMarkdown(&markdown, m))
	require.NoError(t, RenderHTML(&html, m))
	for _, form := range []string{text.String(), strings.ReplaceAll(markdown.String(), "\\", ""), html.String()} {
		require.Contains(t, form, forRunTitle)
		require.Contains(t, form, "CORRECTION: maker/rogue | STEP 1")
		require.Contains(t, form, "emitted via hook:codex:PostToolUse by scaffoldwatch hook")
		require.Contains(t, form, "INTERRUPT: wave | WP-4")
		require.Contains(t, form, "no delivery was reported")
	}
	require.Contains(t, text.String(), "0/3 interrupts")
}

// A message for a run does not start a session's report, since the session's turns may be unknown.
func TestSaidForTheRunBeginsNoSession(t *testing.T) {
	set := NewSet()
	for _, e := range forRunEvents("s") {
		set.Apply(e)
	}
	require.Empty(t, set.Results())
}

// A correction for the orchestrator is in no session's report.
func TestACorrectionForTheOrchestratorIsInNoSession(t *testing.T) {
	f := New("s")
	f.Apply(events.Event{
		ID: "c", Type: runevents.TypeCorrectionIssued, Subject: "r",
		Data: &runevents.CorrectionIssued{
			Issue: "system/tunnel_vision", Step: 1, Target: runevents.Recipient{Kind: "orchestrator"},
		},
	})
	require.Empty(t, f.Result().ForRun)
}
