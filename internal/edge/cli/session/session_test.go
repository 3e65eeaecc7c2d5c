package session

import (
	"testing"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// CO-5, CO-9b: a person sees what each session is about, whatever the width; a script every number.
func TestListHasTheNameAtEveryWidth(t *testing.T) {
	one := decisions.SessionSummary{
		Session: "03a1382e-ecd5-42c4-b3d4-5c659e165904", Agent: "claude-code", Workspace: "/home/me/shop",
		Task: "fix the login form that loses its token after a reload", Turns: 184, Signals: 19, Last: time.Date(2026,
			2, 7, 6, 26, 0, 0, time.UTC),
	}
	table := func(theme terminal.Theme) []string {
		return columns([][]string{columnNames(theme), cells(one, "03a138", theme)}, theme)
	}
	for _, width := range []int{60, 80, 140, 200} {
		lines := table(terminal.Theme{Interactive: true, Width: width})
		for _, line := range lines {
			require.LessOrEqual(t, lipgloss.Width(line), width)
		}
		require.Regexp(t, `^03a138 +shop “fix .*  184 `, lines[1], "at %d columns", width)
		require.NotContains(t, lines[1], " 0 ", "zeros are not printed")
	}
	require.Contains(t, table(terminal.Theme{Interactive: true, Width: 140})[1], "claude-code")
	script := table(terminal.Theme{})[1]
	require.Contains(t, script, one.Session)
	require.Regexp(t, ` 184 +19 +0  open   2026-02-07 06:26$`, script)
}

// CO-6: --needs-me shows what a person must answer, and nothing else.
func TestNeedsPerson(t *testing.T) {
	for _, c := range []struct {
		data any
		want bool
	}{
		{&runevents.WiggumBreak{}, true},
		{&runevents.ClarificationRequested{}, true},
		{&runevents.EscalationRaised{To: runevents.RecipientUser}, true},
		{&runevents.EscalationRaised{To: runevents.RecipientOrchestrator}, false},
		{&runevents.GateDecided{Decision: runevents.DecisionDeny, WhoDecides: runevents.DecidedByOperator}, true},
		{&runevents.GateDecided{Decision: runevents.DecisionHold, Options: []runevents.Option{{ID: "a"}}}, true},
		{&runevents.GateDecided{Decision: runevents.DecisionDeny}, false},
		{&runevents.GateDecided{
			Decision: runevents.DecisionDeny, WhoDecides: runevents.DecidedByOperator,
			Ahead: true,
		}, false},
		{&runevents.GateDecided{Decision: runevents.DecisionAllow, WhoDecides: runevents.DecidedByOperator}, false},
		{&sessionevents.GuardDecided{Verdict: sessionevents.HookDeny}, true},
		{&sessionevents.GuardDecided{Verdict: sessionevents.HookWarn}, false},
		{&sessionevents.InterruptDelivery{State: sessionevents.DeliveryUnsupported}, true},
		{&sessionevents.InterruptDelivery{State: sessionevents.DeliveryDelivered}, false},
		{&sessionevents.TurnEvaluated{}, false},
	} {
		shown := false
		show := only(needsPerson, func(events.Event) error { shown = true; return nil })
		require.NoError(t, show(events.Event{Data: c.data}))
		require.Equal(t, c.want, shown, "%#v", c.data)
	}
}
