package backtest_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/backtest"
	view "github.com/scaffoldwatch/scaffoldwatch/internal/view/backtestreport"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

func event(typ events.Type, data any) events.Event {
	return events.Event{ID: "e", Type: typ, Subject: "s", Time: time.Date(2026, 11, 1, 8, 0, 0, 0, time.UTC), Data: data}
}

func signal(id, detector, subject string, turn int) events.Event {
	return event(sessionevents.TypeSignalDetected, &sessionevents.Signal{
		Session: "s", ID: id, Turn: turn, Detector: detector, Subject: subject, Urgency: 32,
		Evidence: []sessionevents.Evidence{{Path: "a.go", Line: 3, Quote: "x := 1"}},
	})
}

func fired(id, signal, detector string, turn int, fromQueue bool) events.Event {
	return event(sessionevents.TypeInterruptFired, &sessionevents.InterruptFired{
		Session: "s", ID: id, Turn: turn, Detector: detector, Signals: []string{signal}, UrgencyLabel: "3.2", FromQueue: fromQueue, Message: "Look.",
	})
}

func delivery(id string, state sessionevents.DeliveryState, channel string) events.Event {
	return event(sessionevents.TypeInterruptDelivery, &sessionevents.InterruptDelivery{Interrupt: id, Session: "s", State: state, Channel: channel})
}

func turn() events.Event {
	return event(sessionevents.TypeTurnEvaluated, &sessionevents.TurnEvaluated{Session: "s"})
}

func one(list ...events.Event) []events.Event { return list }

func TestGainedLostAndMoved(t *testing.T) {
	c := backtest.New(backtest.Options{Sides: 2})
	c.Take([][]events.Event{
		one(signal("1", "A1", "f", 1), signal("2", "B1", "key", 1), turn()),
		one(signal("1", "A1", "f", 1), signal("2", "B1", "key", 1), turn()),
	})
	c.Take([][]events.Event{one(fired("i1", "1", "A1", 2, false), turn()), one(fired("i1", "2", "B1", 2, false), turn())})
	c.Take([][]events.Event{one(fired("i2", "2", "B1", 3, true), delivery("i1", sessionevents.DeliveryHeeded, "hook"), turn()), one(turn())})
	m := c.Result(1)
	view.Finish(&m)
	require.Equal(t, 3, m.Turns)
	require.Equal(t, view.Pair{Present: 2, Given: 1}, m.Interrupts)
	require.Len(t, m.Changes, 3, "%v", m.Changes) // the signal A1 ends otherwise, too
	byKind := map[view.Kind]map[view.Way]view.Change{view.KindFire: {}, view.KindSignal: {}}
	for _, change := range m.Changes {
		byKind[change.Kind][change.Way] = change
	}
	lost := byKind[view.KindFire][view.Lost]
	require.Equal(t, "A1", lost.Detector)
	require.Equal(t, view.Heeded, lost.Outcome)
	require.True(t, lost.Heard)
	require.Equal(t, "a.go:3: x := 1", lost.Evidence)
	moved := byKind[view.KindFire][view.Moved]
	require.Equal(t, "turn 3: from the queue, 3.2", moved.Was)
	require.Equal(t, "turn 2: at once, 3.2", moved.Is)
	require.False(t, moved.Depends, "it differs from the same input on")
	require.Equal(t, []view.Point{{Session: "s", Pair: view.Pair{Present: 2, Given: 1}}}, m.Series)
	require.Equal(t, "A1: −1 interrupt in 1 session; of the lost 1 heeded; of 1 present one 1 heeded",
		m.Detectors[0].Verdict)
}

// Whatever follows a changed interrupt assumes that the agent did the same.
func TestWhatFollowsAChangeIsMarked(t *testing.T) {
	c := backtest.New(backtest.Options{Sides: 2})
	c.Take([][]events.Event{one(signal("1", "A1", "f", 1), signal("2", "C1", "g", 1)), one(signal("1", "A1", "f", 1), signal("2", "C1", "g", 1))})
	c.Take([][]events.Event{one(turn()), one(fired("i1", "1", "A1", 2, false))})
	c.Take([][]events.Event{one(fired("i2", "2", "C1", 3, false)), one(turn())})
	for _, change := range c.Result(1).Changes {
		if change.Kind == view.KindFire {
			require.Equal(t, change.Detector == "C1", change.Depends, "%v", change)
		}
	}
}

// A recorded answer is about the interrupt that the agent saw. The side that makes the same one
// under another id gets the answer under that; a side that says something else gets none.
func TestAnswersFollowTheirInterrupt(t *testing.T) {
	c := backtest.New(backtest.Options{Sides: 3})
	same := one(signal("1", "A1", "f", 1), signal("2", "B1", "key", 1))
	c.Take([][]events.Event{same, same, same})
	c.Take([][]events.Event{
		one(fired("seen", "1", "A1", 2, false)),
		one(fired("renamed", "1", "A1", 2, false)),
		one(fired("seen", "2", "B1", 2, false)), // the id says nothing about what it is
	})
	answer := delivery("seen", sessionevents.DeliveryDismissed, "hook")
	about := func(side int) string {
		return c.As(side, answer).Data.(*sessionevents.InterruptDelivery).Interrupt
	}
	require.Equal(t, "seen", about(0))
	require.Equal(t, "renamed", about(1))
	require.Equal(t, "not-decided:seen", about(2))
	act := event(runevents.TypeOperatorAct, &runevents.OperatorAct{Act: runevents.ActDismiss, Session: "s", Target: "seen", By: "sam"})
	require.Equal(t, "renamed", c.As(1, act).Data.(*runevents.OperatorAct).Target)
	require.Equal(t, "seen", act.Data.(*runevents.OperatorAct).Target, "the recorded event is not changed")
	require.Equal(t, "seen", answer.Data.(*sessionevents.InterruptDelivery).Interrupt)
}

func TestRunDecisionsAreCompared(t *testing.T) {
	c := backtest.New(backtest.Options{Sides: 2})
	gate := func(decision runevents.GateDecision) events.Event {
		return event(runevents.TypeGateDecided, &runevents.GateDecided{Gate: "merge", Asked: "q1", Decision: decision, Rule: "WP-1", Why: "Two files are shared."})
	}
	c.Take([][]events.Event{
		one(gate("deny"), event(runevents.TypeViolationDetected, &runevents.ViolationDetected{Code: "SAW-COMMIT-MAIN", Rule: "WP-4", What: "A commit to main."})),
		one(gate("allow"), event(runevents.TypeWiggumBreak, &runevents.WiggumBreak{Kind: "hard", Trigger: "stuck_loop", Reason: "Nine repeats.", Evidence: []string{"turn 3"}})),
	})
	got := map[string]string{}
	for _, change := range c.Result(1).Changes {
		got[string(change.Way)+" "+string(change.Kind)+" "+change.Detector] = change.Was + "→" + change.Is
	}
	require.Equal(t, map[string]string{
		"moved gate merge": "deny→allow", "lost violation SAW-COMMIT-MAIN": "WP-4→", "gained break stuck_loop": "→hard",
	}, got)
}

func TestConditions(t *testing.T) {
	changes := []view.Change{
		{Way: view.Gained, Kind: view.KindFire, Detector: "A1"},
		{Way: view.Gained, Kind: view.KindFire, Detector: "B1"},
		{Way: view.Lost, Kind: view.KindBreak, Detector: "stuck_loop"},
	}
	for text, holds := range map[string]bool{
		"gained:fire>1": true, "gained:fire>2": false, "gained:fire>=2": true, "gained:fire:A1>0": true, "gained:fire:A1>=2": false,
		"lost:break>0": true, "lost:any>0": true, "lost:fire>0": false, "changed:any>2": true, "moved:any>0": false,
	} {
		conditions, err := backtest.ParseConditions([]string{text})
		require.NoError(t, err)
		_, got := conditions[0].Holds(changes)
		require.Equal(t, holds, got, text)
	}
	for text, problem := range map[string]string{
		"gained:fire": "want WAY:KIND", "won:fire>1": "is not a way", "gained:fires>1": "is not a kind", "gained:fire<1": "want WAY:KIND",
	} {
		_, err := backtest.ParseConditions([]string{text})
		require.ErrorContains(t, err, problem, text)
	}
}

func TestRanges(t *testing.T) {
	ranges, err := backtest.ParseRanges([]string{"session.fire=3.0..4.5/0.5", "session.budget=1,3"})
	require.NoError(t, err)
	require.Equal(t, []float64{3, 3.5, 4, 4.5}, ranges[0].Values)
	require.Equal(t, [][]float64{{3, 1}, {3, 3}, {3.5, 1}, {3.5, 3}, {4, 1}, {4, 3}, {4.5, 1}, {4.5, 3}}, backtest.Points(ranges))
	ranges, err = backtest.ParseRanges([]string{"a.b=3.0..3.3/0.1"})
	require.NoError(t, err)
	require.Equal(t, []float64{3, 3.1, 3.2, 3.3}, ranges[0].Values)
	for text, problem := range map[string]string{
		"a.b": "want SETTING=LOW..HIGH/STEP", "a.b=1..2": "no step", "a.b=2..1/1": "LOW ≤ HIGH", "a.b=1..2/0": "LOW ≤ HIGH", "a.b=x": "is not a number",
		"a.b=0..1/0.0001": "at most 100", "a.b=NaN..1/1": "is not a number",
	} {
		_, err := backtest.ParseRanges([]string{text})
		require.ErrorContains(t, err, problem, text)
	}
	_, err = backtest.ParseRanges([]string{"a.b=1", "a.c=1", "a.d=1"})
	require.ErrorContains(t, err, "at most 2 settings")
	_, err = backtest.ParseRanges([]string{"a.b=0..20/1", "a.c=0..20/1"})
	require.ErrorContains(t, err, "441 points")
}
