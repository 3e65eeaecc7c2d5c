package mailbox

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/hook"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// ready returns a mailbox that has read what there was.
func ready() *Mailbox {
	m := New()
	m.CatchUp()
	return m
}

func decision(id string, data any) events.Event {
	return events.Event{ID: id, Subject: "s", Data: data}
}

func fired(id string, turn int) events.Event {
	return decision("e-"+id, &sessionevents.InterruptFired{Session: "s", Run: "r", ID: id, Turn: turn, ExpiresTurn: turn + 3, Headline: "H", Message: id})
}

func told(id string, state sessionevents.DeliveryState) events.Event {
	return decision("d-"+id, &sessionevents.InterruptDelivery{Session: "s", Interrupt: id, State: state})
}

func evaluated(turn int, trace string) events.Event {
	e := decision(fmt.Sprint("t", turn), &sessionevents.TurnEvaluated{Session: "s", Run: "r", Turn: turn})
	e.TraceParent = trace
	return e
}

func next(m *Mailbox) string {
	if i := m.Next("s"); i != nil {
		return i.ID
	}
	return ""
}

func fact(id string) sessionevents.InterruptDelivery {
	return sessionevents.InterruptDelivery{Session: "s", Interrupt: id, State: sessionevents.DeliveryEmitted}
}

func TestAnInterruptIsSaidOnce(t *testing.T) { // DP-21
	m := ready()
	m.Apply(fired("a", 1))
	m.Apply(fired("b", 3))
	m.Apply(fired("a", 1))
	require.Equal(t, "a", next(m))
	require.True(t, m.Emitted(fact("a"), false))
	require.False(t, m.Emitted(fact("a"), false))
	require.Equal(t, "b", next(m))
	m.Apply(told("b", sessionevents.DeliveryDismissed))
	require.Empty(t, next(m))
	m.Apply(told("a", sessionevents.DeliveryEmitted))
	m.Apply(fired("a", 1))
	require.Empty(t, next(m))
}

// Until it has read what was decided and said, a mailbox says nothing.
func TestNothingIsSaidBeforeAllIsRead(t *testing.T) {
	m := New()
	m.Apply(fired("a", 1))
	require.False(t, m.Ready())
	require.Empty(t, next(m))
	m.Apply(told("a", sessionevents.DeliveryEmitted))
	m.CatchUp()
	require.True(t, m.Ready())
	require.Empty(t, next(m))
}

func TestProgressAcknowledges(t *testing.T) { // DP-21
	m := ready()
	for _, id := range []string{"a", "b", "c"} {
		m.Apply(fired(id, 1))
	}
	require.True(t, m.Emitted(fact("a"), false))
	require.Empty(t, m.Progress("s", hook.PointPrompt), "a person's message proves nothing")
	require.Empty(t, m.Progress("other", hook.PointStop))
	reached := m.Progress("s", hook.PointBeforeTool)
	require.Len(t, reached, 1)
	require.Equal(t, sessionevents.DeliveryAcked, reached[0].State)
	require.Equal(t, "r", reached[0].Run)
	require.Empty(t, m.Progress("s", hook.PointBeforeTool), "once")

	require.True(t, m.Emitted(fact("b"), true))
	require.Empty(t, m.Progress("s", hook.PointBeforeTool), "another tool of the batch")
	require.Empty(t, m.Progress("s", hook.PointAfterBatch), "the end of the batch itself")
	require.Len(t, m.Progress("s", hook.PointAfterBatch), 1)

	require.True(t, m.Emitted(fact("c"), true))
	require.Len(t, m.Progress("s", hook.PointText), 1, "the next message")
}

// What was emitted before a restart is acknowledged after it.
func TestAcknowledgementSurvivesARestart(t *testing.T) {
	m := ready()
	m.Apply(fired("a", 1))
	m.Apply(told("a", sessionevents.DeliveryEmitted))
	require.Len(t, m.Progress("s", hook.PointStop), 1)
	m.Apply(fired("b", 1))
	m.Apply(told("b", sessionevents.DeliveryEmitted))
	m.Apply(told("b", sessionevents.DeliveryAcked))
	require.Empty(t, m.Progress("s", hook.PointStop))
}

func TestOldInterruptsExpire(t *testing.T) { // DP-20
	m := ready()
	m.Apply(fired("a", 1))
	m.Apply(evaluated(4, ""))
	require.Equal(t, "a", next(m))
	m.Apply(evaluated(5, ""))
	require.Empty(t, next(m))
	m.Apply(fired("b", 5))
	m.Apply(decision("c", &sessionevents.SessionClosed{Session: "s"}))
	require.Empty(t, next(m))
	old := m.Settled()
	require.Equal(t, []string{"a", "b"}, []string{old[0].Interrupt, old[1].Interrupt})
	require.Equal(t, sessionevents.DeliveryExpired, old[0].State)
	require.Empty(t, m.Settled())
}

// changed returns a control.changed of run r, or of session s.
func changed(scope runevents.Scope, state runevents.ControlState, why string) events.Event {
	e := decision("c", &runevents.ControlChanged{State: state, Scope: scope, Why: why})
	if scope == runevents.ScopeRun {
		e.Subject = "r"
	}
	return e
}

func ended(e events.Event) events.Event {
	e.Data.(*runevents.ControlChanged).Ended = true
	return e
}

func TestControlStates(t *testing.T) { // EV-8
	m := ready()
	require.Equal(t, runevents.ControlUnknown, m.State("s", "", "").State)
	m.Apply(changed(runevents.ScopeSession, runevents.ControlDraining, "loop"))
	require.Equal(t, runevents.Control{State: runevents.ControlDraining, Why: "loop"}, m.State("s", "", ""))
	m.Apply(changed(runevents.ScopeRun, runevents.ControlHalted, "budget"))
	require.Equal(t, "budget", m.State("s", "", "r").Why)
	require.Equal(t, runevents.ControlDraining, m.State("x", "s", "").State, "a subagent stops with its parent")
	m.Apply(evaluated(1, ""))
	require.Equal(t, "budget", m.State("s", "", "").Why, "the run is known from its turns")
	m.Apply(changed(runevents.ScopeRun, runevents.ControlPaused, "asked"))
	require.Equal(t, runevents.ControlPaused, m.State("s", "", "").State, "stricter than draining")
	m.Apply(changed(runevents.ScopeRun, runevents.ControlRunning, ""))
	require.Equal(t, runevents.ControlDraining, m.State("s", "", "").State)
	m.Apply(changed(runevents.ScopeSession, runevents.ControlRunning, ""))
	require.Equal(t, runevents.ControlRunning, m.State("s", "", "").State, "a person resumed it")
}

// What was decided counts before what the bucket says (EV-6); what ended is
// forgotten; a halt whose decision is gone by age holds.
func TestDecisionsAndTheBucket(t *testing.T) {
	m := New()
	halted := runevents.Control{State: runevents.ControlHalted, Why: "kept"}
	m.Keep("run.r", runevents.Control{State: runevents.ControlRunning, Why: "forged"})
	m.Keep("run.old", halted)
	m.Apply(changed(runevents.ScopeRun, runevents.ControlHalted, "decided"))
	m.CatchUp()
	require.Equal(t, "decided", m.State("s", "", "r").Why)
	require.Equal(t, halted, m.State("s", "", "old"))
	m.Apply(changed(runevents.ScopeRun, runevents.ControlRunning, ""))
	m.Apply(ended(changed(runevents.ScopeRun, runevents.ControlRunning, "")))
	require.Equal(t, runevents.ControlUnknown, m.State("s", "", "r").State)
	require.Equal(t, 1, m.control.Len())
}

// A break says why; whether anything stops is what control.changed says: in observe
// mode nothing does (DP-25).
func TestABreakAloneStopsNothing(t *testing.T) {
	m := ready()
	m.Apply(decision("b", &runevents.WiggumBreak{Kind: runevents.BreakHard, Scope: runevents.ScopeSession, Session: "s", Reason: "observed"}))
	require.Equal(t, runevents.ControlUnknown, m.State("s", "", "").State)
}

// A session that is halted stays so while the broker is out of reach, until all is
// read again (RW-33).
func TestAHaltOutlivesTheBroker(t *testing.T) {
	m := ready()
	m.Apply(changed(runevents.ScopeSession, runevents.ControlHalted, "leak"))
	for range 2 { // tries that read nothing
		m.reset()
		require.Equal(t, "leak", m.State("s", "", "").Why)
	}
	m.Apply(changed(runevents.ScopeSession, runevents.ControlRunning, ""))
	require.Equal(t, runevents.ControlHalted, m.State("s", "", "").State, "it may be an old decision")
	m.CatchUp()
	require.Equal(t, runevents.ControlRunning, m.State("s", "", "").State, "a person took it back meanwhile")
}

func TestARunHaltsSubagentsOfItsSessions(t *testing.T) {
	m := ready()
	m.Apply(evaluated(1, ""))
	m.Apply(changed(runevents.ScopeRun, runevents.ControlHalted, ""))
	require.Equal(t, runevents.ControlHalted, m.State("s-agent-1", "s", "").State)
}

// Facts that were recorded before a restart are not recorded once more after it.
func TestWhatIsRecordedAsExpiredIsNotRecordedAgain(t *testing.T) { // DP-21
	m := ready()
	m.Apply(fired("a", 1))
	m.Apply(fired("b", 1))
	m.Apply(evaluated(9, ""))
	m.Apply(told("a", sessionevents.DeliveryExpired))
	old := m.Settled()
	require.Len(t, old, 1)
	require.Equal(t, "b", old[0].Interrupt)
	for i := range maxOutcomes + 7 {
		m.Apply(fired(fmt.Sprint(i), 1))
		m.Apply(evaluated(9, ""))
	}
	require.Len(t, m.Settled(), maxOutcomes, "nobody asks while no hook is called")
}

func TestAwaitTheTurnOfAHook(t *testing.T) {
	m := ready()
	over, cancel := context.WithCancel(t.Context())
	cancel()
	wait := m.Expect("trace")
	other := m.Expect("another")
	defer other.End()
	m.Apply(evaluated(1, ""))
	m.waits.settled()
	require.False(t, wait.For(over), "a turn of no call")
	m.Apply(evaluated(2, "trace"))
	require.False(t, wait.For(over), "the decisions follow the mark")
	m.waits.settled()
	require.True(t, wait.For(t.Context()))
	require.False(t, other.For(over))
	wait.End()
}

func TestMailboxIsBounded(t *testing.T) {
	m := ready()
	for i := range maxWaiting + 5 {
		m.Apply(fired(fmt.Sprint(i), 1))
	}
	require.Equal(t, 5, m.Dropped())
	require.Equal(t, "5", next(m))
	for i := range maxSessions + 10 {
		m.Apply(decision("", &sessionevents.TurnEvaluated{Session: fmt.Sprint("x", i), Turn: 1}))
	}
	require.Len(t, m.boxes.byID, maxSessions)
	require.Equal(t, 5+maxWaiting, m.Dropped(), "the session that was silent longest left with what waited for it")
}

func TestFiltersReadDecisions(t *testing.T) {
	require.Equal(t, []string{
		"interrupt.fired.>", "decisions.interrupt.delivery.>", "decisions.turn.evaluated.>", "decisions.session.closed.>",
		"decisions.operator.act.>", "correction.issued.>", "control.changed.>",
	}, Filters())
}

// AU-40: a session that an operator erases is forgotten without a restart: what waits for it is not said,
// and it is not known to be halted. What comes after the purge counts, and others' boxes stay.
func TestAPurgedSessionIsForgotten(t *testing.T) {
	m := ready()
	of := func(e events.Event) events.Event {
		e.PartitionKey = "r"
		return e
	}
	m.Apply(of(fired("a", 1)))
	m.Apply(of(changed(runevents.ScopeSession, runevents.ControlHalted, "stop")))
	m.Apply(of(changed(runevents.ScopeRun, runevents.ControlHalted, "stop")))
	other := fired("b", 1)
	other.Data.(*sessionevents.InterruptFired).Session = "other"
	m.Apply(other)
	require.Equal(t, runevents.ControlHalted, m.State("s", "", "r").State)
	purge := decision("p", &runevents.ContentPurged{By: "mara", Why: "request 4711", IDs: []string{"r", "s"}})
	purge.Subject, purge.PartitionKey = "r", "r"
	m.Apply(purge)
	require.Empty(t, next(m))
	require.Equal(t, runevents.ControlUnknown, m.State("s", "", "r").State)
	require.NotNil(t, m.Next("other"))
	m.Apply(of(changed(runevents.ScopeSession, runevents.ControlHalted, "again")))
	require.Equal(t, runevents.ControlHalted, m.State("s", "", "").State)
}
