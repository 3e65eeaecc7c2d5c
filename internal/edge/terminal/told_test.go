package terminal

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

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
		"would discard /home/me/shop/plan.md of the person; decided by the hook alone")
}
