package terminal

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/prevented"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

func TestTheSameAnswersStandOnce(t *testing.T) {
	options := []runevents.Option{{ID: "1", Text: "Re-run wave"}, {ID: "2", Text: "Investigate"}}
	gate := events.Event{Subject: "a", Data: &runevents.GateDecided{Gate: runevents.GateMerge, Decision: runevents.DecisionDeny, Options: options}}
	raised := &runevents.EscalationRaised{To: "user", Issue: "wave/isolation_failure", Text: "How shall it go on?", Options: options}

	var told Told
	feed := func(e events.Event) string {
		e, news := told.Once(e)
		require.True(t, news)
		return plain(80).Feed(e)
	}
	require.Contains(t, feed(gate), "Re-run wave")
	text := feed(events.Event{Subject: "a", Data: raised})
	require.NotContains(t, text, "Re-run wave")
	require.Contains(t, text, "How shall it go on?")
	require.Len(t, raised.Options, 2, "the event itself stays as it is")

	told.Once(gate)
	require.Contains(t, feed(events.Event{Subject: "b", Data: raised}), "Re-run wave", "of another run")
	told.Once(gate)
	other := *raised
	other.Options = options[:1]
	require.Contains(t, feed(events.Event{Subject: "a", Data: &other}), "Re-run wave", "other answers")
}

// What `doctor --test` plants happened to nobody; and a way back stands once.
func TestTheFeedOfTheGuardIsBrief(t *testing.T) {
	planted := &sessionevents.GuardDecided{
		Session: prevented.TestSession + "17", Verdict: sessionevents.HookDeny,
		Command: prevented.TestCommand, Call: prevented.TestCall,
	}
	require.Empty(t, plain(80).Feed(events.Event{Subject: planted.Session, Data: planted}))
	kept := &sessionevents.GuardDecided{
		Session: "a", Verdict: sessionevents.HookAllow, Command: "git stash", RescueRef: "refs/scaffoldwatch/rescue/a-1",
		Text: "Uncommitted work is kept: scaffoldwatch rescue restore a-1",
	}
	require.Equal(t, 1, strings.Count(plain(80).Feed(events.Event{Subject: "a", Data: kept}), "rescue restore a-1"))
	kept.Text = ""
	require.Equal(t, 1, strings.Count(plain(80).Feed(events.Event{Subject: "a", Data: kept}), "rescue restore a-1"))
}

// One thing is one entry: what the guard told an agent before a tool ran is not shown again as the interrupt that is
// fired once the turn is judged. Another text, or the same to another agent, is news.
func TestTheGuardsWordsStandOnce(t *testing.T) {
	var told Told
	shown := func(data any) bool {
		_, news := told.Once(events.Event{Data: data})
		return news
	}
	warned := &sessionevents.GuardDecided{
		Session: "a", Verdict: sessionevents.HookWarn, Rule: "B1", Text: "Credential in pay.py; move it.",
	}
	require.True(t, shown(&sessionevents.InterruptFired{Session: "a", Message: warned.Text}), "nothing before")
	require.True(t, shown(warned))
	require.False(t, shown(&sessionevents.InterruptFired{Session: "a", Message: warned.Text}))
	require.True(t, shown(&sessionevents.InterruptFired{Session: "a", Message: "Credential in pay.go; move it."}))
	require.True(t, shown(&sessionevents.InterruptFired{Session: "b", Message: warned.Text}))
	require.True(t, shown(warned), "a second call")
	for range 3 * maxTold {
		shown(&sessionevents.GuardDecided{Session: "c", Text: "x"})
	}
	require.LessOrEqual(t, len(told.guard), maxTold)
}

// A denial says to a person what it said to the agent, with the word that lets the call run (GD-11).
func TestADenialInTheFeed(t *testing.T) {
	denied := &sessionevents.GuardDecided{
		Session: "a", Verdict: sessionevents.HookDeny, Command: "git clean -fd",
		Text: "It would destroy plan.md. To let it run once, type: allow 798",
		Acts: []sessionevents.GuardAct{{Act: "discard", Target: "/home/me/shop/plan.md", Owner: "person"}},
	}
	text := plain(80).Feed(events.Event{Subject: "a", Data: denied})
	require.Contains(t, text, "✗ denied: git clean -fd\n")
	require.Contains(t, strings.Join(strings.Fields(text), " "), "allow 798")
	require.NotContains(t, text, "would discard")
	denied.Text, denied.Alone = "", true
	require.Contains(t, strings.Join(strings.Fields(plain(80).Feed(events.Event{Subject: "a", Data: denied})), " "),
		"would discard /home/me/shop/plan.md of the person; `scaffoldwatch up` was not running")
}

// One thing is one entry: a merge that is denied halts its run, for the same reason, and asks the same person.
func TestTheReasonOfAHaltStandsOnce(t *testing.T) {
	const why = "The branch of agent B has no commit of its own."
	var told Told
	shown := func(run string, data any) string {
		e, news := told.Once(events.Event{ID: "hx4ut4ab", Subject: run, Data: data})
		if !news {
			return ""
		}
		return strings.Join(strings.Fields(plain(80).Feed(e)), " ")
	}
	gate := &runevents.GateDecided{Gate: runevents.GateMerge, Wave: 1, Decision: runevents.DecisionDeny, Rule: "WP-1", Why: why}
	require.Equal(t, "a ✗ DENIED: merge of wave 1 "+why+" (WP-1) → scaffoldwatch recover a OPTION --wave 1 --why '…'", shown("a", gate))
	raised := &runevents.EscalationRaised{To: "user", Issue: "wave/isolation_failure", Text: why + " How shall it go on?"}
	require.Equal(t, "a ▲ NEEDS YOU: wave, isolation failure How shall it go on?", shown("a", raised))
	halt := &runevents.WiggumBreak{Kind: runevents.BreakHard, Trigger: runevents.TriggerIsolationFailure, Reason: why}
	require.Equal(t, "a ■ HALTED: isolation failure", shown("a", halt))
	require.Empty(t, shown("a", &runevents.ControlChanged{Scope: runevents.ScopeRun, State: runevents.ControlHalted, Why: why}))
	require.Contains(t, shown("b", halt), why, "another run")
	require.NotEmpty(t, shown("a", &runevents.ControlChanged{Scope: runevents.ScopeRun, State: runevents.ControlHalted, Why: "by hand"}))
	require.Contains(t, shown("a", &runevents.EscalationRaised{To: "user", Issue: raised.Issue, Text: raised.Text, Reminder: true}), why)
	require.Equal(t, why, halt.Reason, "the event itself stays as it is")

	allowed := &runevents.GateDecided{Gate: runevents.GateWorktrees, Wave: 1, Decision: runevents.DecisionAllow}
	require.NotEmpty(t, shown("a", allowed))
	require.Empty(t, shown("a", allowed), "asked again by the next agent")
	require.NotEmpty(t, shown("b", allowed))
}
