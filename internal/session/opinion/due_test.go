package opinion

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// asks is what is due, in short.
func asks(list []Wish) (out []string) {
	for _, w := range list {
		if w.Signal == "" {
			out = append(out, "new turns")
			continue
		}
		out = append(out, w.Signal)
	}
	return out
}

func decided(d *Due, list ...any) (out []string) {
	for _, data := range list {
		out = append(out, asks(d.Take(events.Event{Data: data}))...)
	}
	return append(out, asks(d.Settled())...)
}

func closes(turn int, why sessionevents.PauseReason) *sessionevents.TurnEvaluated {
	pause := sessionevents.Pause{Natural: why != "", Why: why}
	return &sessionevents.TurnEvaluated{Session: "s", Turn: turn, Pause: pause}
}

func urgent(id string, turn int, ground sessionevents.GroundKind) *sessionevents.Signal {
	return &sessionevents.Signal{
		Session: "s", Turn: turn, ID: id, Layer: sessionevents.LayerSession, Detector: "E1", Class: "E", Subject: id,
		Urgency: 24, ReworkCost: 3, SelfCorrect: 0.2,
		Basis: []sessionevents.Ground{{Kind: ground, What: "x"}},
	}
}

// AD-2: a signal that waits when its turn is closed is asked about once; one that JD-2 keeps in the log as
// soon as it is there; one below the queue never; an answer to what is over or another turn's is late (AD-4).
func TestWhatIsAskedAboutSignals(t *testing.T) {
	d := NewDue(testConfig(t), 10)
	low := urgent("low", 1, sessionevents.GroundFact)
	low.Urgency = 19
	require.Equal(t, []string{"waits"}, decided(d, urgent("waits", 1, sessionevents.GroundFact), low, closes(1, "")))
	require.True(t, d.Still(Wish{Session: "s", Signal: "waits"}))
	require.Empty(t, decided(d, urgent("waits", 1, sessionevents.GroundFact), closes(2, "")), "once")
	decided(d, &sessionevents.InterruptFired{Session: "s", Turn: 2, Signals: []string{"waits"}})
	require.False(t, d.Still(Wish{Session: "s", Signal: "waits"}), "it was said")

	reading := urgent("reading", 3, sessionevents.GroundReading)
	reading.Withheld, reading.Urgency = "reading", 19
	ended := &sessionevents.Disposition{Session: "s", Signal: "reading", Code: sessionevents.CodeReading}
	require.Equal(t, []string{"reading"}, decided(d, reading, closes(3, ""), ended))
	require.True(t, d.Still(Wish{Session: "s", Signal: "reading"}))
	decided(d, closes(4, ""))
	require.False(t, d.Still(Wish{Session: "s", Signal: "reading"}), "its grace turn is over")

	corrected := &sessionevents.Disposition{Session: "s", Signal: "gone", Code: sessionevents.CodeCorrected}
	require.Empty(t, decided(d, urgent("gone", 5, sessionevents.GroundFact), corrected, closes(5, "")))
	answered := &sessionevents.OpinionRecorded{Session: "s", Signal: "known", Kind: sessionevents.QuestionSignal}
	require.Empty(t, decided(d, urgent("known", 6, sessionevents.GroundFact), answered, closes(6, "")), "another asked")
}

// AD-2, AD-3: what a model found by itself is asked about again, once, when a turn followed that shows what
// became of it; not where it joined a rule's signal, and not where its sentence cannot be said.
func TestWhatAModelFoundIsAskedAboutAgain(t *testing.T) {
	d := NewDue(testConfig(t), 10)
	decided(d, closes(4, ""))
	unclear := urgent("unclear", 3, sessionevents.GroundModel)
	unclear.Urgency = 19
	found, joins := urgent("found", 3, sessionevents.GroundModel), urgent("joins", 4, sessionevents.GroundModel)
	require.Empty(t, decided(d, found, joins, unclear))
	joined := &sessionevents.Disposition{Session: "s", Signal: "joins", Code: sessionevents.CodeSameCause, Into: "rule"}
	require.Equal(t, []string{"found"}, decided(d, closes(5, ""), joined))
	require.Empty(t, decided(d, closes(6, "")), "once")
	require.True(t, d.Still(Wish{Session: "s", Signal: "found"}))
}

// AD-3: new turns are shown at a pause, at the end of a response, and after so many turns.
func TestWhenNewTurnsAreShown(t *testing.T) {
	c := testConfig(t)
	d := NewDue(c, 10)
	require.Empty(t, decided(d, closes(1, sessionevents.PauseTests)), "a pause with one new turn")
	require.Equal(t, []string{"new turns"}, decided(d, closes(2, sessionevents.PauseEndOfResponse)))
	require.Empty(t, decided(d, closes(2, sessionevents.PauseEndOfResponse)), "nothing is new")
	for n := 3; n < 2+c.Digest.EveryTurns; n++ {
		require.Empty(t, decided(d, closes(n, "")))
	}
	require.Equal(t, []string{"new turns"}, decided(d, closes(2+c.Digest.EveryTurns, "")))
	require.Equal(t, []string{"new turns"}, decided(d, closes(30, sessionevents.PauseTests)), "eight at a pause")
	require.Equal(t, []string{"new turns"}, decided(d, closes(31, ""), &sessionevents.SessionClosed{Session: "s"}))
}
