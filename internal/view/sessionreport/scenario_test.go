package sessionreport

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/budget"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// scenario plays a session through the real dispatcher and keeps DECISIONS.
type scenario struct {
	t         testing.TB
	machine   *budget.Machine
	state     *budget.State
	session   string
	turn      int
	inputs    int
	ids       []string // of this turn
	decisions []events.Event
}

func newScenario(t testing.TB, session string) *scenario {
	config, err := budget.LoadConfig(rules.Default())
	require.NoError(t, err)
	m := budget.NewMachine(config)
	return &scenario{t: t, machine: m, state: m.New(session), session: session, turn: 1}
}

func (s *scenario) feed(typ events.Type, data any) {
	s.inputs++
	ev := events.Event{
		ID: fmt.Sprintf("in-%d", s.inputs), Source: "test", Type: typ, Subject: s.session,
		Time: time.Date(2026, 3, 1, 9, s.inputs, 0, 0, time.UTC), Data: data,
	}
	out := step.NewEmitter(budget.StageName, step.Identity{}, ev)
	var err error
	s.state, err = s.machine.Step(s.state, step.Input{Event: ev}, out)
	require.NoError(s.t, err)
	s.decisions = append(s.decisions, out.Events()...)
}

// signal adds a signal to the turn that is still open.
func (s *scenario) signal(detector, subject string, cost int, p float64, change func(*sessionevents.Signal)) string {
	sig := &sessionevents.Signal{
		Session: s.session, Turn: s.turn, Layer: sessionevents.LayerSession, Detector: detector, Class: sessionevents.Class(detector[:1]),
		Subject: subject, Confidence: 0.8, ReworkCost: cost, SelfCorrect: p, Urgency: sessionevents.UrgencyOf(cost, p),
		Evidence: []sessionevents.Evidence{{
			Kind: sessionevents.SegmentDiff, Path: "src/" + detector + ".go", Line: 7, Quote: "use(" + subject + ")",
			ConflictsWith: &sessionevents.EarlierEvent{Path: "src/old.go", Line: 3, What: "the one before"},
		}},
		Message: detector + " found " + subject + "; change it.", Reason: "It stands in the diff.",
	}
	if change != nil {
		change(sig)
	}
	sig.ID = events.SignalID(s.session, s.turn, detector, subject, fmt.Sprint(len(s.ids)))
	s.ids = append(s.ids, sig.ID)
	s.feed(sessionevents.TypeSignalDetected, sig)
	return sig.ID
}

// close closes the turn with the outcomes of earlier signals.
func (s *scenario) close(pause bool, observed *sessionevents.Observations, outcomes map[string]sessionevents.Outcome, order ...string) {
	marker := &sessionevents.TurnEvaluated{Session: s.session, Turn: s.turn, Signals: s.ids, Pause: sessionevents.Pause{Natural: pause}, Observed: observed}
	for _, id := range order {
		marker.Pending = append(marker.Pending, sessionevents.PendingOutcome{ID: id, Outcome: outcomes[id]})
	}
	s.feed(sessionevents.TypeTurnEvaluated, marker)
	s.turn, s.ids = s.turn+1, nil
}

func (s *scenario) fail(why string) {
	s.feed(sessionevents.TypeTurnEvaluated, &sessionevents.TurnEvaluated{Session: s.session, Turn: s.turn, Failed: why})
	s.turn, s.ids = s.turn+1, nil
}

func (s *scenario) fired() []string {
	var ids []string
	for _, ev := range s.decisions {
		if d, ok := ev.Data.(*sessionevents.InterruptFired); ok {
			ids = append(ids, d.ID)
		}
	}
	return ids
}

func (s *scenario) model() Model {
	f := New(s.session)
	for _, ev := range s.decisions {
		f.Apply(ev)
	}
	return f.Result()
}

// busy is a session in which everything happens at least once.
func busy(t testing.TB) *scenario {
	s := newScenario(t, "busy")
	s.feed(sessionevents.TypeSessionOpened, &sessionevents.SessionOpened{
		Session: "busy", Task: "Add *login* <b>now</b>", Run: "run-7", Agent: &sessionevents.Agent{ID: "a1", Kind: "claude-code", Model: "m-1"},
	})
	s.signal("B1", "API_KEY", 2, 0.1, func(g *sessionevents.Signal) { g.Confidence = 0.95 })
	s.signal("D2", "csv export", 3, 0.5, func(g *sessionevents.Signal) { g.Suppressed = "priming" })
	first := s.signal("A2", "database/sql", 5, 0.1, nil)
	s.close(false, &sessionevents.Observations{
		RedFlags: []sessionevents.RedFlagHit{{ID: "RF14", Sentence: "I'll also add an `export` | [link](http://evil.example)"}},
		Usage:    &sessionevents.Usage{InputTokens: 1000, OutputTokens: 200, CacheRead: 50, CostUSD: 0.125}, LinesAdded: 40, Bytes: 2000,
		TestsEdited: 1, TestsAdded: 2, FilesRead: 3, FilesEdited: []string{"src/B1.go", "src/login_test.go"}, Errors: 1,
		Segments: map[sessionevents.SegmentKind]int{sessionevents.SegmentTool: 4}, Unsupported: []string{"cobol"},
	}, nil)
	s.feed(sessionevents.TypeInterruptDelivery, &sessionevents.InterruptDelivery{Interrupt: s.fired()[0], State: sessionevents.DeliveryDelivered, Channel: "hook", By: "harness"})

	fixed := s.signal("A1", "formatDate", 3, 0.2, nil)
	s.signal("C1", "src/main.go", 1, 0.5, nil)
	s.close(true, &sessionevents.Observations{
		Usage: &sessionevents.Usage{InputTokens: 1500, OutputTokens: 100}, LinesAdded: 5, LinesGone: 2,
		Continuity: &sessionevents.Continuity{Compacted: true}, NoBaseline: true, Evicted: map[string]int{"files_read": 3},
	}, map[string]sessionevents.Outcome{first: sessionevents.OutcomeOpen}, first)

	late := s.signal("A1", "parseDate", 3, 0.2, nil)
	s.signal("C1", "src/main.go", 1, 0.5, nil)
	s.close(false, nil, map[string]sessionevents.Outcome{fixed: sessionevents.OutcomeCorrected, first: sessionevents.OutcomeOpen}, fixed, first)
	s.feed(sessionevents.TypeInterruptDelivery, &sessionevents.InterruptDelivery{Interrupt: s.fired()[1], State: sessionevents.DeliveryEmitted, Channel: "hook", By: "harness"})
	s.fail("the turn exceeded its time")
	s.close(true, nil, map[string]sessionevents.Outcome{late: sessionevents.OutcomeOpen, first: sessionevents.OutcomeCommitted}, late, first)
	s.feed(runevents.TypeOperatorAct, &runevents.OperatorAct{Act: "dismiss", Session: "busy", Target: s.fired()[0], By: "ann", Why: "a test key"})
	s.signal("D1", "README.md", 5, 0.2, nil)
	s.signal("A1", "parseDate", 3, 0.2, nil)
	s.close(false, nil, nil)
	s.feed(sessionevents.TypeSessionClosed, &sessionevents.SessionClosed{Session: "busy", Reason: "completed"})
	return s
}

// quiet is a session in which nothing was found.
func quiet(t testing.TB) *scenario {
	s := newScenario(t, "quiet")
	s.close(true, &sessionevents.Observations{TestsEdited: 2, LinesAdded: 10}, nil)
	s.close(true, nil, nil)
	s.feed(sessionevents.TypeSessionClosed, &sessionevents.SessionClosed{Session: "quiet", Reason: "completed"})
	return s
}

// gap is a session that was only partly watched and in which nothing was found.
func gap(t testing.TB) *scenario {
	s := newScenario(t, "gap")
	s.close(true, nil, nil)
	s.fail("the turn exceeded its time")
	s.turn += 2
	s.close(true, nil, nil)
	return s
}
