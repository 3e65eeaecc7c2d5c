package sessionreport

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// RW-35, RW-41: a session's own breaks stand in its report, with what a person has
// yet to answer.
func TestHalts(t *testing.T) {
	f := New("s")
	for _, e := range []events.Event{
		{
			ID: "t1", Type: sessionevents.TypeTurnEvaluated, Subject: "s",
			Data: &sessionevents.TurnEvaluated{Session: "s", Turn: 1, Signals: []string{}},
		},
		{
			ID: "run", Type: runevents.TypeWiggumBreak, Subject: "r",
			Data: &runevents.WiggumBreak{Kind: runevents.BreakHard, Scope: runevents.ScopeRun, Run: "r"},
		},
		{ID: "b1", Type: runevents.TypeWiggumBreak, Subject: "s", Data: &runevents.WiggumBreak{
			Kind: runevents.BreakHard, Trigger: runevents.TriggerAgentFailures, Reason: "3 turns in a row failed", Scope: runevents.ScopeSession, Session: "s", Turn: 1,
		}},
		{
			ID: "e1", Type: runevents.TypeEscalationRaised, Subject: "s",
			Data: &runevents.EscalationRaised{Issue: "break/agent_failures", Session: "s"},
		},
		{
			ID: "h1", Type: runevents.TypeHaltIgnored, Subject: "s",
			Data: &runevents.HaltIgnored{Break: "b1", Session: "s", Turn: 2, Count: 1, Reason: "turn 2 came"},
		},
		{
			ID: "e2", Type: runevents.TypeEscalationRaised, Subject: "s",
			Data: &runevents.EscalationRaised{Issue: "halt/ignored", Session: "s"},
		},
		{
			ID: "e3", Type: runevents.TypeEscalationRaised, Subject: "s",
			Data: &runevents.EscalationRaised{Issue: "break/agent_failures", Session: "s", Reminder: true, Of: "e1"},
		},
		{
			ID: "a1", Type: runevents.TypeOperatorAct, Subject: "s",
			Data: &runevents.OperatorAct{Act: "ack", Target: "e2", By: "ann"},
		},
	} {
		f.Apply(e)
	}
	require.Equal(t, []Halt{{
		Break: "b1", Turn: 1, Kind: runevents.BreakHard, Trigger: runevents.TriggerAgentFailures, Reason: "3 turns in a row failed", After: 1, Open: []string{"e1"},
	}}, f.Result().Halts)
	var text, markdown, html bytes.Buffer
	require.NoError(t, RenderText(&text, f.Result(), 100, nil))
	require.NoError(t, RenderMarkdown(&markdown, f.Result()))
	require.NoError(t, RenderHTML(&html, f.Result()))
	for _, form := range []string{text.String(), markdown.String(), html.String()} {
		require.Contains(t, form, haltsTitle)
		require.Contains(t, form, "HARD BREAK: agent")
		require.Contains(t, form, "1 turn came after it; 1 escalation for a person open; not resumed")
	}
	f.Apply(events.Event{
		ID: "a2", Type: runevents.TypeOperatorAct, Subject: "s",
		Data: &runevents.OperatorAct{Act: "resume", Session: "s", By: "ann", Why: "the quota is back"},
	})
	require.Equal(t, "1 turn came after it; resumed by ann: the quota is back", f.Result().Halts[0].State())

	quiet := New("s")
	var none bytes.Buffer
	require.NoError(t, RenderMarkdown(&none, quiet.Result()))
	require.NotContains(t, none.String(), haltsTitle)
}

// RW-33: a session that goes on though its run is halted.
func TestAHaltOfTheRunThatIsNotObeyed(t *testing.T) {
	f := New("s")
	f.Apply(events.Event{
		ID: "h1", Type: runevents.TypeHaltIgnored, Subject: "s",
		Data: &runevents.HaltIgnored{Break: "b", Run: "r", Session: "s", Turn: 4, Count: 2, Reason: "turn 4 came"},
	})
	require.Equal(t, "[Turn 4] HALT OF THE RUN, not obeyed", f.Result().Halts[0].Heading())
	require.Equal(t, "2 turns came after it; not resumed", f.Result().Halts[0].State())
}
