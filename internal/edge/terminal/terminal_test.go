package terminal

import (
	"bytes"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

func plain(width int) Theme {
	t := New(&bytes.Buffer{}, func(string) string { return "" })
	t.Width = width
	return t
}

func TestWrap(t *testing.T) {
	require.Equal(t, "one two\n  three", Wrap("one two three", 10, 2))
	require.Equal(t, "a\n  incomprehensible\n  b", Wrap("a incomprehensible b", 6, 2))
	require.Empty(t, Wrap("  ", 10, 2))
}

func TestShortenAndFit(t *testing.T) {
	require.Equal(t, "abc", Shorten("abc", 3))
	require.Equal(t, "ab…", Shorten("abcd", 3))
	require.Equal(t, "ä  ", Fit("ä", 3))
	require.Equal(t, "日…", Shorten("日本語", 4), "a wide character takes two columns")
	require.Equal(t, "日本 ", Fit("日本", 5))
}

func TestCleanTakesControlAway(t *testing.T) {
	require.Equal(t, "clear", Clean("\x1b[2Jcl\u202eear"))
	require.Equal(t, "two lines", Clean("two\nlines"))
}

func TestFeedStaysWithinTheTerminal(t *testing.T) {
	list := []events.Event{
		{Type: sessionevents.TypeTurnEvaluated, Subject: "s", Data: &sessionevents.TurnEvaluated{Turn: 4, Signals: []string{"a", "b"}}},
		{Type: sessionevents.TypeTurnEvaluated, Subject: strings.Repeat("s", 40), Data: &sessionevents.TurnEvaluated{Turn: 4, Failed: strings.Repeat("word ", 60)}},
		{Type: sessionevents.TypeInterruptFired, Subject: "s", Data: &sessionevents.InterruptFired{Detector: "D2", UrgencyLabel: "2.0", Turn: 3, FromQueue: true, Message: strings.Repeat("word ", 60)}},
		{Type: sessionevents.TypeInterruptQueued, Subject: "s", Data: &sessionevents.InterruptQueued{Detector: "D2", Reason: "below_fire"}},
		{Type: sessionevents.TypeSignalLogged, Subject: "s", Data: &sessionevents.Disposition{Detector: "C1", Reason: strings.Repeat("reason ", 30)}},
		{Type: sessionevents.TypeInterruptFired, Subject: "s", Data: &sessionevents.InterruptFired{Detector: "B1", Message: strings.Repeat("鍵は 秘密です ", 30)}},
		{Type: sessionevents.TypeGuardDecided, Subject: "s", Data: &sessionevents.GuardDecided{
			Verdict: sessionevents.HookDeny, Command: strings.Repeat("git checkout . ", 20), Acts: []sessionevents.GuardAct{{Act: "discard", Target: "/r/\x1b[2Ja.txt", Owner: "person"}},
		}},
		{Type: sessionevents.TypeGuardDecided, Subject: "s", Data: &sessionevents.GuardDecided{
			Verdict: sessionevents.HookWarn, RescueRef: "refs/scaffoldwatch/rescue/s-3", Command: "git reset --hard", Acts: []sessionevents.GuardAct{{Act: "discard", Target: "a.txt"}},
		}},
		{Type: sessionevents.TypeSessionClosed, Subject: "s", Data: &sessionevents.SessionClosed{Reason: "idle_timeout"}},
	}
	for _, width := range []int{60, 80, 160} {
		for _, e := range list {
			text := plain(width).Feed(e)
			require.NotEmpty(t, text)
			require.NotContains(t, text, "\x1b")
			for _, line := range strings.Split(text, "\n") {
				require.LessOrEqual(t, lipgloss.Width(line), width, "%q", line)
			}
		}
	}
	require.Contains(t, plain(80).Feed(list[3]), "it is not urgent", "below fire, in words (CO-9b)")
	require.Contains(t, plain(80).Feed(list[6]), "✗ denied: git checkout", "GD-21")
	require.Contains(t, plain(80).Feed(list[7]), "⤓ kept: git reset --hard")
	require.Contains(t, plain(80).Feed(list[7]), "scaffoldwatch rescue restore s-3")
	require.Empty(t, plain(80).Feed(events.Event{Type: sessionevents.TypeSignalDetected, Data: &sessionevents.Signal{}}))
}
