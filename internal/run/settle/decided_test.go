package settle_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/settle"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// about settles an event about a subject and returns what it led to.
func (s *settled) about(subject string, data any, typ events.Type, conclude func(*run.Context)) []events.Event {
	s.n++
	e := events.Event{ID: fmt.Sprint("e", s.n), Type: typ, Subject: subject, PartitionKey: "r", CausationID: "cause", Data: data, Time: time.Unix(int64(s.n), 0)}
	c := run.NewContext(step.Input{Event: e})
	conclude(c)
	out := step.NewEmitter("dispatcher", step.Identity{}, e)
	s.config.Decide(&s.state, c, s.facts, out)
	return out.Events()
}

// all returns the data of one type.
func all[T any](list []events.Event) []T {
	var out []T
	for _, e := range list {
		if data, is := e.Data.(*T); is {
			out = append(out, *data)
		}
	}
	return out
}

// first is the only one of a type.
func first[T any](t *testing.T, list []events.Event) T {
	t.Helper()
	require.Len(t, all[T](list), 1)
	return all[T](list)[0]
}

func (s *settled) phase(conclude func(*run.Context)) []events.Event {
	return s.about("r", &runevents.PhaseStarted{}, runevents.TypePhaseStarted, conclude)
}

func (s *settled) turn(session string, n int) []events.Event {
	if known := s.state.Sessions[session]; known != nil {
		known.Turn = n // as the policies fold it
	}
	return s.about(session, &sessionevents.TurnEvaluated{Session: session, Turn: n}, sessionevents.TypeTurnEvaluated, nothing)
}

// states lists what was published of control: "r running".
func states(list []events.Event) []string {
	var out []string
	for _, e := range list {
		if data, is := e.Data.(*runevents.ControlChanged); is {
			state := string(data.State)
			if data.Ended {
				state = "ended"
			}
			out = append(out, e.Subject+" "+state)
		}
	}
	return out
}

// A run event, and an act that someone waits for, is closed by run.evaluated with
// everything it led to; a turn and a signal have markers of their own.
func TestWhatIsClosed(t *testing.T) {
	act := func(a runevents.OperatorAct) *runevents.OperatorAct { return &a }
	for name, test := range map[string]struct {
		data any
		typ  events.Type
		want string
	}{
		"a run event":            {&runevents.PhaseStarted{}, runevents.TypePhaseStarted, "r"},
		"a turn":                 {&sessionevents.TurnEvaluated{Session: "s"}, sessionevents.TypeTurnEvaluated, ""},
		"a signal":               {&sessionevents.Signal{}, sessionevents.TypeSignalDetected, ""},
		"a timer":                {&events.TimerExpired{}, events.TypeTimerExpired, ""},
		"an act on the run":      {act(runevents.OperatorAct{Act: "mute", Run: "r"}), runevents.TypeOperatorAct, "r"},
		"an act on another run":  {act(runevents.OperatorAct{Act: "mute", Run: "r2"}), runevents.TypeOperatorAct, "r2"},
		"an act on nothing":      {act(runevents.OperatorAct{Act: "mute"}), runevents.TypeOperatorAct, "r"},
		"an act on a session":    {act(runevents.OperatorAct{Act: "mute", Session: "s"}), runevents.TypeOperatorAct, ""},
		"a resume of a session":  {act(runevents.OperatorAct{Act: "resume", Session: "s"}), runevents.TypeOperatorAct, "r"},
		"a session of a run too": {act(runevents.OperatorAct{Act: "mute", Run: "r", Session: "s"}), runevents.TypeOperatorAct, "r"},
	} {
		t.Run(name, func(t *testing.T) {
			s := begin()
			s.phase(nothing)
			out := s.about("r", test.data, test.typ, func(c *run.Context) { c.Warning(runevents.WarningIssued{Code: "W"}) })
			if test.want == "" {
				require.Empty(t, all[runevents.RunEvaluated](out))
				return
			}
			closing := out[len(out)-1]
			require.Equal(t, test.want, closing.Subject)
			state := runevents.ControlRunning
			if test.want != "r" {
				state = runevents.ControlUnknown
			}
			require.Equal(t, &runevents.RunEvaluated{Event: "e2", EventType: string(test.typ), Decisions: []string{out[0].ID}, State: state}, closing.Data)
		})
	}
}

// The decisions about the signals of an event come before it: run.evaluated of that
// event, and of no other, names them first.
func TestDecisionsAboutSignals(t *testing.T) {
	warns := func(c *run.Context) { c.Warning(runevents.WarningIssued{Code: "W"}) }
	signal := func(s *settled, conclude func(*run.Context)) []events.Event {
		return s.about("r", &sessionevents.Signal{}, sessionevents.TypeSignalDetected, conclude)
	}
	closes := func(s *settled, id string, conclude func(*run.Context)) []string {
		e := events.Event{ID: id, Type: runevents.TypePhaseStarted, Subject: "r", Data: &runevents.PhaseStarted{}}
		c := run.NewContext(step.Input{Event: e})
		conclude(c)
		out := step.NewEmitter("dispatcher", step.Identity{}, e)
		s.config.Decide(&s.state, c, s.facts, out)
		return all[runevents.RunEvaluated](out.Events())[0].Decisions
	}
	s := begin()
	s.phase(nothing)
	one, two := signal(s, warns)[0].ID, signal(s, warns)[0].ID
	signal(s, nothing)
	require.Equal(t, "cause", s.state.Decided.Event)
	decisions := closes(s, "cause", warns)
	require.Len(t, decisions, 3)
	require.Equal(t, []string{one, two}, decisions[:2])
	require.Empty(t, closes(s, "cause", nothing), "once")
	signal(s, warns)
	require.Empty(t, closes(s, "another", nothing))
	require.Empty(t, closes(s, "cause", nothing), "another event came between")
	for range 300 {
		signal(s, warns)
	}
	require.Len(t, s.state.Decided.IDs, 256)
	s.state.Decided.Event = "before"
	signal(s, warns)
	require.Len(t, s.state.Decided.IDs, 1, "of the latest event")
}

// RW-33: a soft break halts at a boundary: the next end of a task; in a run without
// tasks the end of a turn of each session that has one; in a run with neither the
// end of a phase or cycle.
func TestBoundaries(t *testing.T) {
	completes := map[events.Type]any{
		runevents.TypeTaskCompleted: &runevents.TaskCompleted{}, runevents.TypeRunCompleted: &runevents.RunCompleted{},
		runevents.TypePhaseCompleted: &runevents.PhaseCompleted{}, runevents.TypeCycleCompleted: &runevents.CycleCompleted{},
		runevents.TypeAgentCompleted: &runevents.AgentCompleted{},
	}
	for name, test := range map[string]struct {
		tasks  facts
		turns  int
		closed bool
		typ    events.Type
		halts  bool
	}{
		"a task":                        {1, 1, false, runevents.TypeTaskCompleted, true},
		"the run":                       {1, 1, false, runevents.TypeRunCompleted, true},
		"an agent":                      {0, 0, false, runevents.TypeAgentCompleted, false},
		"a phase":                       {0, 0, false, runevents.TypePhaseCompleted, true},
		"a cycle":                       {0, 0, false, runevents.TypeCycleCompleted, true},
		"a phase of a run with tasks":   {1, 0, false, runevents.TypePhaseCompleted, false},
		"a phase of a run with turns":   {0, 1, false, runevents.TypePhaseCompleted, false},
		"a phase after a session ended": {0, 1, true, runevents.TypePhaseCompleted, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := begin()
			s.facts = test.tasks
			s.state.Sessions["s"].Turn, s.state.Sessions["s"].Closed = test.turns, test.closed
			require.NotContains(t, states(s.about("r", completes[test.typ], test.typ, request(runevents.BreakSoft, runevents.TriggerBudget95))), "r halted", "not the event that breaks it")
			require.Equal(t, runevents.ControlDraining, s.state.Control.State)
			require.Equal(t, test.halts, len(states(s.about("r", completes[test.typ], test.typ, nothing))) > 0)
			require.Equal(t, test.halts, s.state.Control.State == runevents.ControlHalted)
		})
	}
}

// RW-33: each session with turns ends one; who closes has ended; a session that
// ended its turn is halted at once.
func TestBoundaryOfEachSession(t *testing.T) {
	drains := func(tasks facts) *settled {
		s := begin()
		s.facts = tasks
		for _, id := range []string{"s", "s2", "s3"} {
			s.state.Session(id, 8).Turn = 1
		}
		s.state.Session("silent", 8)
		s.phase(request(runevents.BreakSoft, runevents.TriggerBudget95))
		return s
	}
	s := drains(0)
	require.Equal(t, []string{"s halted"}, states(s.turn("s", 2)))
	require.Empty(t, states(s.turn("s", 3)), "once")
	s.state.Sessions["s2"].Closed = true
	require.Empty(t, states(s.about("s2", &sessionevents.SessionClosed{}, sessionevents.TypeSessionClosed, nothing)), "s3 works")
	require.Equal(t, []string{"r halted", "s3 halted", "silent halted"}, states(s.turn("s3", 2)))

	s = drains(1)
	for _, id := range []string{"s", "s2", "s3"} {
		require.Empty(t, states(s.turn(id, 2)), "a run with tasks ends with one")
	}

	s = begin()
	s.phase(nothing)
	s.about("s", &runevents.PhaseStarted{}, runevents.TypePhaseStarted, func(c *run.Context) {
		c.RequestBreak(runevents.WiggumBreak{Kind: runevents.BreakSoft, Trigger: runevents.TriggerStuckLoop, Scope: runevents.ScopeSession, Session: "s", Reason: "x"})
	})
	require.Equal(t, runevents.ControlDraining, s.state.Sessions["s"].Control.State)
	require.Empty(t, states(s.turn("s2", 1)))
	require.Equal(t, []string{"s halted"}, states(s.turn("s", 1)), "its own break")
	require.Equal(t, runevents.ControlRunning, s.state.Control.State)
}

// A timer and an escalation say what they are about: the run of the group, else the
// session, else the subject.
func TestWhomTimersAndEscalationsAreAbout(t *testing.T) {
	timer := func(s *settled, subject string, data events.TimerSet) events.TimerSet {
		return first[events.TimerSet](t, s.about(subject, &events.TimerExpired{}, events.TypeTimerExpired, func(c *run.Context) { c.Conclude(events.TypeTimerSet, &data) }))
	}
	s := begin()
	s.phase(nothing)
	require.Equal(t, events.TimerSet{Name: "n", Run: "r"}, timer(s, "r", events.TimerSet{Name: "n"}))
	require.Equal(t, events.TimerSet{Name: "n", Run: "r2"}, timer(s, "r", events.TimerSet{Name: "n", Run: "r2"}))
	require.Equal(t, events.TimerSet{Name: "n", Session: "s2"}, timer(s, "r", events.TimerSet{Name: "n", Session: "s2"}))
	require.Equal(t, events.TimerSet{Name: "n", Group: "g"}, timer(s, "r", events.TimerSet{Name: "n", Group: "g"}), "a relay belongs to no run there")
	alone := begin()
	alone.state = settle.State{}
	require.Equal(t, events.TimerSet{Name: "n", Session: "s"}, timer(alone, "s", events.TimerSet{Name: "n"}))

	raise := func(s *settled, subject string, data runevents.EscalationRaised) runevents.EscalationRaised {
		out := s.about("e", &events.TimerExpired{}, events.TypeTimerExpired, func(c *run.Context) { c.ConcludeAbout(subject, runevents.TypeEscalationRaised, &data) })
		reminder := first[events.TimerSet](t, out)
		require.Equal(t, "run.reminder."+out[0].ID, reminder.Name)
		require.Equal(t, time.Unix(int64(s.n), 0).Add(time.Hour).UTC(), reminder.Due)
		return first[runevents.EscalationRaised](t, out)
	}
	s = begin()
	s.phase(nothing)
	require.Equal(t, runevents.EscalationRaised{Issue: "i", To: "user", Run: "r"}, raise(s, "", runevents.EscalationRaised{Issue: "i"}))
	require.Equal(t, runevents.EscalationRaised{Issue: "i", To: "ops", Run: "r2"}, raise(s, "r2", runevents.EscalationRaised{Issue: "i", To: "ops", Run: "r2"}))
	require.Equal(t, runevents.EscalationRaised{Issue: "i", To: "user", Run: "r", Session: "s"}, raise(s, "s", runevents.EscalationRaised{Issue: "i"}), "of its session")
	require.Equal(t, runevents.EscalationRaised{Issue: "i", To: "user", Run: "r"}, raise(s, "unknown", runevents.EscalationRaised{Issue: "i"}))
	s.state.Session("r", 8)
	require.Equal(t, runevents.EscalationRaised{Issue: "i", To: "user", Run: "r"}, raise(s, "r", runevents.EscalationRaised{Issue: "i"}), "a session named as the run")
	alone.state = settle.State{}
	require.Equal(t, runevents.EscalationRaised{Issue: "i", To: "user", Run: "x"}, raise(alone, "x", runevents.EscalationRaised{Issue: "i"}))
	require.Equal(t, runevents.EscalationRaised{Issue: "i", To: "user", Session: "x"}, raise(alone, "y", runevents.EscalationRaised{Issue: "i", Session: "x"}))
}

// RW-41: open escalations are kept, the newest ones, their texts shortened; a
// reminder and an answer find theirs.
func TestOpenEscalations(t *testing.T) {
	s := begin()
	s.config.Kept.Text, s.config.Kept.Escalations = 5, 2
	for _, issue := range []string{"a", "b", "c"} {
		s.phase(func(c *run.Context) {
			c.Escalate(runevents.EscalationRaised{Issue: issue, Text: strings.Repeat("x", 11), Options: []runevents.Option{{ID: "1"}}})
		})
	}
	require.Len(t, s.state.Escalations, 2)
	kept := s.state.Escalations[1]
	require.Equal(t, settle.Escalation{ID: kept.ID, Subject: "r", Issue: "c", To: "user", Text: strings.Repeat("x", 10) + "…", Options: []runevents.Option{{ID: "1"}}, Run: "r"}, kept)
	out := s.phase(func(c *run.Context) {
		c.Escalate(runevents.EscalationRaised{Issue: "c", Reminder: true, Of: kept.ID})
	})
	require.Empty(t, all[events.TimerSet](out), "a reminder has none of its own")
	require.Len(t, s.state.Escalations, 2)
	require.Equal(t, out[0].ID, s.state.Escalations[1].Reminder)
	require.Empty(t, s.state.Escalations[0].Reminder)
	e := settle.Escalation{ID: "id", Reminder: "reminder", Break: "break"}
	for _, target := range []string{"id", "reminder", "break"} {
		require.True(t, e.Is(target), target)
	}
	require.False(t, e.Is("another"))
	id, is := settle.ReminderOf("run.reminder.x")
	require.Equal(t, []any{"x", true}, []any{id, is})
	_, is = settle.ReminderOf("run.checkpoint")
	require.False(t, is)
}

// RW-40: what interrupts outside the budget have in common is filled in, and what
// they say themselves stays.
func TestFieldsOfInterrupts(t *testing.T) {
	fires := func(s *settled, data sessionevents.InterruptFired) sessionevents.InterruptFired {
		fired := first[sessionevents.InterruptFired](t, s.phase(func(c *run.Context) { c.Interrupt(data) }))
		require.NotEmpty(t, fired.ID)
		fired.ID = ""
		return fired
	}
	s := begin()
	s.config.Interrupt.ExpiresAfterTurns = 3
	s.state.Sessions["s"].Turn = 7
	require.Equal(t, sessionevents.InterruptFired{
		Session: "s", Run: "r", Turn: 7, Detector: "WP-4", UrgencyLabel: "WP-4", Signals: []string{}, HoldUntil: "immediate", ExpiresTurn: 10, Target: sessionevents.Target{Session: "s"},
	}, fires(s, sessionevents.InterruptFired{Session: "s", Detector: "WP-4"}))
	require.Equal(t, sessionevents.InterruptFired{
		Session: "s", Run: "r", Turn: 2, Detector: "WP-4", UrgencyLabel: "now", Signals: []string{"x"}, HoldUntil: "immediate", ExpiresTurn: 4, Target: sessionevents.Target{Session: "s"},
	}, fires(s, sessionevents.InterruptFired{Session: "s", Turn: 2, Detector: "WP-4", UrgencyLabel: "now", Signals: []string{"x"}, ExpiresTurn: 4}))
	require.Zero(t, fires(s, sessionevents.InterruptFired{Session: "unknown"}).Turn)
}

// RW-33: a gate of a stopped run does not open, whatever a layer decided; a denied
// one keeps its reasons.
func TestGatesByState(t *testing.T) {
	for name, test := range map[string]struct {
		state    runevents.ControlState
		observes bool
		decision runevents.GateDecision
		want     runevents.GateDecision
	}{
		"halted":              {runevents.ControlHalted, false, runevents.DecisionAllow, runevents.DecisionDeny},
		"halted, warned":      {runevents.ControlHalted, false, runevents.DecisionAllowWithWarning, runevents.DecisionDeny},
		"halted, held":        {runevents.ControlHalted, false, runevents.DecisionHold, ""},
		"halted, denied":      {runevents.ControlHalted, false, runevents.DecisionDeny, ""},
		"paused":              {runevents.ControlPaused, false, runevents.DecisionAllow, runevents.DecisionHold},
		"draining":            {runevents.ControlDraining, false, runevents.DecisionAllow, ""},
		"running":             {runevents.ControlRunning, false, runevents.DecisionAllow, ""},
		"halted, in observe":  {runevents.ControlHalted, true, runevents.DecisionAllow, ""},
		"nothing known of it": {"", false, runevents.DecisionAllow, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := begin()
			s.config.ObserveOnly = test.observes
			s.state.Control.State, s.state.Control.Why = test.state, "It failed"
			asked := runevents.GateDecided{Gate: "merge", Decision: test.decision, Rule: "WP-1", Why: "why", WhoDecides: "scaffoldwatch"}
			want := asked
			if test.want != "" {
				want.Decision, want.Rule, want.WhoDecides = test.want, "RW-33", runevents.DecidedByOperator
				want.Why = "The run is " + string(test.state) + ": It failed. Only an operator lets it go on."
			}
			require.Equal(t, want, first[runevents.GateDecided](t, s.phase(func(c *run.Context) { c.Gate(asked) })))
		})
	}
}

// Texts end as a sentence.
func TestTexts(t *testing.T) {
	for text, want := range map[string]string{"": "", "a": "a.", "a.": "a.", "a!": "a!", "a?": "a?"} {
		require.Equal(t, want, settle.Sentence(text))
	}
}

// A state that went through a snapshot decides the same.
func TestSettledSnapshot(t *testing.T) {
	s := begin()
	s.task(request(runevents.BreakSoft, runevents.TriggerBudget95))
	text, err := json.Marshal(s.state)
	require.NoError(t, err)
	var again settle.State
	require.NoError(t, json.Unmarshal(text, &again))
	s.state = again
	require.Subset(t, s.task(nothing), []string{"control r halted", "control s halted"})
}
