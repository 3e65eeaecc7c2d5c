package client_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/invalid"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// dispatcher stands in for the services: it answers every run event in INPUT
// with what answer gives, closed by run.evaluated.
func dispatcher(t *testing.T, b *bench, answer func(events.Event) ([]events.Event, runevents.RunEvaluated)) {
	t.Helper()
	conn, err := b.connect()
	require.NoError(t, err)
	js, err := jetstream.New(conn)
	require.NoError(t, err)
	consumer, err := js.OrderedConsumer(t.Context(), string(events.StreamInput), jetstream.OrderedConsumerConfig{})
	require.NoError(t, err)
	consuming, err := consumer.Consume(func(m jetstream.Msg) {
		asked, err := events.DecodeMessage(m.Headers(), m.Data())
		if err != nil {
			return
		}
		list, closed := answer(asked)
		closed.Event, closed.EventType = asked.ID, string(asked.Type)
		if closed.Decisions == nil {
			closed.Decisions = []string{}
		}
		for _, e := range append(list, events.Event{Type: runevents.TypeRunEvaluated, Data: &closed}) {
			if e.ID == "" {
				e.ID = "d-" + string(e.Type) + "-" + asked.ID
			}
			if e.CausationID == "" {
				e.CausationID = asked.ID
			}
			e.Subject, e.PartitionKey = asked.Subject, asked.Subject
			_ = decide(context.Background(), js, e)
		}
	})
	require.NoError(t, err)
	t.Cleanup(func() { consuming.Stop(); <-consuming.Closed(); conn.Close() })
}

func openRun(t *testing.T, b *bench, patience time.Duration) *client.Run {
	t.Helper()
	run, err := client.OpenRun(b.conn, "nightly", client.RunOptions{Source: "/orchestrators/test", Patience: patience})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, run.Close()) })
	return run
}

func TestDoWaitsForTheVerdict(t *testing.T) {
	b := newBench(t)
	dispatcher(t, b, func(asked events.Event) ([]events.Event, runevents.RunEvaluated) {
		failed, ok := asked.Data.(*runevents.AgentCompleted)
		if !ok || failed.Outcome == runevents.RunOutcomeSuccess {
			return nil, runevents.RunEvaluated{State: runevents.ControlRunning}
		}
		return []events.Event{
			{ID: "earlier", CausationID: "signal", Type: runevents.TypeCorrectionIssued, Data: &runevents.CorrectionIssued{Issue: "maker/rogue", Layer: sessionevents.LayerArchetype, Step: 1, Action: "correct", Text: "Write a test.", Target: runevents.Recipient{Kind: "agent"}}},
			{ID: "of-another", CausationID: "another", Type: runevents.TypeWarningIssued, Data: &runevents.WarningIssued{Code: "X", Rule: "Y", What: "z", Evidence: []runevents.Reference{}}},
			{Type: runevents.TypeWiggumBreak, Data: &runevents.WiggumBreak{Kind: runevents.BreakHard, Trigger: runevents.TriggerAgentFailures, Reason: "3 failures", Scope: runevents.ScopeRun, Evidence: []string{}, WIPAction: runevents.WIPCommit}},
		}, runevents.RunEvaluated{State: runevents.ControlHalted, Break: "break-1", Decisions: []string{"earlier"}}
	})
	run := openRun(t, b, time.Minute)
	v, err := run.Do(t.Context(), &runevents.RunStarted{Kind: "build"})
	require.NoError(t, err)
	require.True(t, v.MayGoOn())
	require.False(t, v.MustStop())
	require.Empty(t, v.Decisions)

	v, err = run.Do(t.Context(), runevents.AgentCompleted{AgentID: "maker", Outcome: runevents.RunOutcomeFailure})
	require.NoError(t, err)
	require.True(t, v.MustStop())
	require.False(t, v.MayGoOn())
	require.False(t, v.FinishThenStop())
	require.Equal(t, "break-1", v.Break)
	require.Len(t, v.Decisions, 2, "what belongs to another event stays out")
	require.Equal(t, "Write a test.", v.Corrections()[0].Text)
	require.Equal(t, runevents.TriggerAgentFailures, v.Breaks()[0].Trigger)

	stored := b.input(t)
	require.Len(t, stored, 2)
	require.Contains(t, string(stored[1].Data), `"actor":{"kind":"orchestrator"}`)
	require.True(t, strings.HasPrefix(stored[1].Subject, "run.raw."), stored[1].Subject)
}

// The same words twice are two events, and an event with an id is one.
func TestDoTellsEventsApart(t *testing.T) {
	b := newBench(t)
	dispatcher(t, b, func(events.Event) ([]events.Event, runevents.RunEvaluated) {
		return []events.Event{{Type: runevents.TypeWarningIssued, Data: &runevents.WarningIssued{Code: "X", Rule: "Y", What: "z", Evidence: []runevents.Reference{}}}}, runevents.RunEvaluated{State: runevents.ControlDraining}
	})
	run := openRun(t, b, time.Minute)
	done := runevents.TaskCompleted{Task: "t", Outcome: runevents.RunOutcomeFailure}
	first, err := run.Do(t.Context(), done)
	require.NoError(t, err)
	require.True(t, first.FinishThenStop())
	second, err := run.Do(t.Context(), done)
	require.NoError(t, err)
	require.NotEqual(t, first.Event, second.Event)

	done.Actor.Kind = runevents.ActorOrchestrator
	own := events.Event{ID: "task-1", Type: runevents.TypeTaskCompleted, Data: &done}
	told, err := run.DoEvent(t.Context(), own)
	require.NoError(t, err)
	again, err := openRun(t, b, time.Minute).DoEvent(t.Context(), own)
	require.NoError(t, err)
	require.Equal(t, told.Event, again.Event)
	require.Equal(t, told.State, again.State)
	require.Len(t, b.input(t), 4) // the repeat is stored, and ingest knows it by its id
}

// What was decided about an event that is asked for again comes with it.
func TestDoEventRecallsDecisions(t *testing.T) {
	b := newBench(t)
	dispatcher(t, b, func(asked events.Event) ([]events.Event, runevents.RunEvaluated) {
		return []events.Event{{ID: "w-" + asked.ID, Type: runevents.TypeWarningIssued, Data: &runevents.WarningIssued{Code: asked.ID, Rule: "Y", What: "z", Evidence: []runevents.Reference{}}}},
			runevents.RunEvaluated{State: runevents.ControlRunning, Decisions: []string{"w-" + asked.ID}}
	})
	run := openRun(t, b, time.Minute)
	for _, id := range []string{"a", "b", "a"} {
		v, err := run.DoEvent(t.Context(), events.Event{ID: id, Type: runevents.TypePlanApproved, Data: &runevents.PlanApproved{Actor: runevents.Actor{Kind: runevents.ActorHuman}}})
		require.NoError(t, err)
		require.Len(t, v.Warnings(), 1)
		require.Equal(t, id, v.Warnings()[0].Code)
	}
}

func TestDoWithoutAnAnswer(t *testing.T) {
	run := openRun(t, newBench(t), 300*time.Millisecond)
	_, err := run.Do(t.Context(), runevents.TaskCompleted{Task: "t", Outcome: runevents.RunOutcomeSuccess})
	require.ErrorIs(t, err, client.ErrNoVerdict)
	require.ErrorContains(t, err, "scaffoldwatch doctor")
	_, err = run.DoEvent(t.Context(), events.Event{ID: "x", Type: runevents.TypePlanApproved, Data: &runevents.PlanApproved{Actor: runevents.Actor{Kind: runevents.ActorHuman}}})
	require.ErrorIs(t, err, client.ErrNoVerdict)
}

func TestDoRefusesWhatIsNoRunEvent(t *testing.T) {
	run := openRun(t, newBench(t), time.Second)
	for _, data := range []any{nil, 7, sessionevents.Turn{}, (*runevents.TaskCompleted)(nil)} {
		_, err := run.Do(t.Context(), data)
		require.ErrorContains(t, err, "no")
	}
	_, err := run.DoEvent(t.Context(), events.Event{Type: sessionevents.TypeTurnRaw})
	require.ErrorContains(t, err, "not a run event")
	var refused *invalid.Error
	_, err = run.Do(t.Context(), runevents.AgentCompleted{Outcome: "perhaps"})
	require.ErrorAs(t, err, &refused)
	_, err = client.OpenRun(nil, "no/id", client.RunOptions{Source: "/x"})
	require.Error(t, err)
}

func TestDoSaysWhatCouldNotBeEvaluated(t *testing.T) {
	b := newBench(t)
	dispatcher(t, b, func(events.Event) ([]events.Event, runevents.RunEvaluated) {
		return nil, runevents.RunEvaluated{State: runevents.ControlRunning, Failed: "over its budget"}
	})
	_, err := openRun(t, b, time.Minute).Do(t.Context(), runevents.TaskCompleted{Task: "t", Outcome: runevents.RunOutcomeSuccess})
	require.ErrorContains(t, err, "over its budget")
}

func TestGate(t *testing.T) {
	b := newBench(t)
	dispatcher(t, b, func(asked events.Event) ([]events.Event, runevents.RunEvaluated) {
		q := asked.Data.(*runevents.GateRequested)
		answer := func(decision runevents.GateDecision) events.Event {
			return events.Event{ID: string(decision) + asked.ID, Type: runevents.TypeGateDecided, Data: &runevents.GateDecided{Gate: q.Gate, Decision: decision, Rule: "WP-1", Why: "because", WhoDecides: "operator", Asked: asked.ID, Ahead: true}}
		}
		closed := runevents.RunEvaluated{State: runevents.ControlRunning}
		switch q.Wave {
		case 1:
			return []events.Event{answer(runevents.DecisionAllowWithWarning)}, closed
		case 2: // the strictest of several counts
			return []events.Event{answer(runevents.DecisionAllow), answer(runevents.DecisionHold)}, closed
		}
		return nil, closed
	})
	run := openRun(t, b, time.Minute)
	answer, err := run.Gate(t.Context(), runevents.GateRequested{Gate: runevents.GateLaunch, Wave: 1})
	require.NoError(t, err)
	require.True(t, client.Allows(&answer))
	answer, err = run.Gate(t.Context(), runevents.GateRequested{Gate: runevents.GateLaunch, Wave: 2})
	require.NoError(t, err)
	require.Equal(t, runevents.DecisionHold, answer.Decision)
	require.False(t, client.Allows(&answer))

	v, err := run.Do(t.Context(), runevents.GateRequested{Gate: runevents.GateLaunch, Wave: 2})
	require.NoError(t, err)
	require.False(t, v.MayGoOn(), "a gate that refuses holds the run, though it runs")
	require.Equal(t, runevents.DecisionHold, v.Refused().Decision)

	answer, err = run.Gate(t.Context(), runevents.GateRequested{Gate: runevents.GateLaunch, Wave: 3})
	require.ErrorContains(t, err, "no rule answers")
	require.Equal(t, runevents.DecisionDeny, answer.Decision)
	require.Equal(t, client.RuleFailClosed, answer.Rule)
}

// A gate is closed while nobody answers, and while there is no broker.
func TestGateFailsClosed(t *testing.T) {
	b := newBench(t)
	run := openRun(t, b, 300*time.Millisecond)
	ask := func() {
		answer, err := run.Gate(t.Context(), runevents.GateRequested{Gate: runevents.GateMerge, Wave: 3, Agents: []runevents.WaveBranch{{Letter: "A"}}})
		require.Error(t, err)
		require.Equal(t, runevents.DecisionDeny, answer.Decision)
		require.Equal(t, 3, answer.Wave)
		require.Contains(t, answer.Why, "stays closed")
	}
	ask()
	b.stop()
	awaitConnection(t, b.conn, false)
	ask()
	fresh, err := client.OpenRun(b.conn, "other", client.RunOptions{Source: "/x", Patience: 200 * time.Millisecond})
	require.NoError(t, err)
	answer, err := fresh.Gate(t.Context(), runevents.GateRequested{Gate: runevents.GateSpawn, Agent: &runevents.AgentSpawned{Actor: runevents.Actor{Kind: runevents.ActorOrchestrator}, AgentID: "a-1"}})
	require.Error(t, err)
	require.Equal(t, runevents.DecisionDeny, answer.Decision)
	require.Equal(t, "a-1", answer.AgentID)
	require.NoError(t, fresh.Close())
	require.NoError(t, b.start())
}

// Verdicts come again after the broker was away.
func TestDoSurvivesARestartOfTheBroker(t *testing.T) {
	b := newBench(t)
	dispatcher(t, b, func(events.Event) ([]events.Event, runevents.RunEvaluated) {
		return nil, runevents.RunEvaluated{State: runevents.ControlRunning}
	})
	run := openRun(t, b, time.Minute)
	task := runevents.TaskCompleted{Task: "t", Outcome: runevents.RunOutcomeSuccess}
	_, err := run.Do(t.Context(), task)
	require.NoError(t, err)
	b.stop()
	awaitConnection(t, b.conn, false)
	require.NoError(t, b.start())
	v, err := run.Do(t.Context(), task)
	require.NoError(t, err)
	require.True(t, v.MayGoOn())
}

// Many runs share one consumer and get their own verdicts.
func TestRunsShareOneConsumer(t *testing.T) {
	b := newBench(t)
	dispatcher(t, b, func(asked events.Event) ([]events.Event, runevents.RunEvaluated) {
		return nil, runevents.RunEvaluated{State: runevents.ControlRunning, Break: asked.Subject}
	})
	runs, err := client.NewRuns(b.conn, client.RunOptions{Source: "/orchestrators/fleet", Patience: time.Minute})
	require.NoError(t, err)
	results := make(chan error, 20)
	for i := range 20 {
		go func() {
			id := "run-" + string(rune('a'+i))
			run, err := runs.Run(id)
			if err == nil {
				var v client.Verdict
				if v, err = run.Do(t.Context(), runevents.TaskCompleted{Task: "t", Outcome: runevents.RunOutcomeSuccess}); err == nil && v.Break != id {
					err = errors.New("the verdict of " + v.Break + " came to " + id)
				}
			}
			results <- err
		}()
	}
	for range 20 {
		require.NoError(t, <-results)
	}
	stream, err := b.js.Stream(t.Context(), string(events.StreamDecisions))
	require.NoError(t, err)
	require.Equal(t, 1, stream.CachedInfo().State.Consumers)
	require.NoError(t, runs.Close())
	run, err := runs.Run("late")
	require.NoError(t, err)
	_, err = run.Do(t.Context(), runevents.TaskCompleted{Task: "t", Outcome: runevents.RunOutcomeSuccess})
	require.ErrorIs(t, err, client.ErrClosed)
}

func TestRunControl(t *testing.T) {
	b := newBench(t)
	run := openRun(t, b, time.Minute)
	bucket, err := b.js.KeyValue(t.Context(), runevents.ControlBucket)
	require.NoError(t, err)
	c, err := run.Control(t.Context())
	require.NoError(t, err)
	require.Equal(t, runevents.ControlUnknown, c.State)
	_, err = bucket.Put(t.Context(), runevents.RunControlKey("nightly"), []byte(`{"state":"running"}`))
	require.NoError(t, err)
	c, err = run.Control(t.Context())
	require.NoError(t, err)
	require.Equal(t, runevents.ControlUnknown, c.State, "nobody decided that")

	at := 0
	set := func(state runevents.ControlState) {
		at++
		b.decide(t, events.Event{
			ID: fmt.Sprint("c-", at), Type: runevents.TypeControlChanged, Subject: "nightly", PartitionKey: "nightly",
			Data: &runevents.ControlChanged{State: state, Why: "3 failures", Scope: runevents.ScopeRun},
		})
	}
	short := func() error {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		return run.AwaitRunning(ctx)
	}
	require.ErrorContains(t, short(), "which is unknown", "nobody decided what the bucket says")
	set(runevents.ControlRunning)
	require.NoError(t, run.AwaitRunning(t.Context()))
	for c, err := range run.WatchControl(t.Context()) {
		require.NoError(t, err)
		require.Equal(t, runevents.ControlRunning, c.State)
		break
	}
	working, stop := run.UntilHalted(t.Context())
	defer stop()
	set(runevents.ControlDraining)
	set(runevents.ControlHalted)
	<-working.Done()
	var halted *client.HaltedError
	require.ErrorAs(t, context.Cause(working), &halted)
	require.Equal(t, "run nightly is halted: 3 failures", halted.Error())
	require.ErrorContains(t, short(), "which is halted", "what was before does not count")
	set(runevents.ControlRunning)
	require.NoError(t, run.AwaitRunning(t.Context()))
	again, stopAgain := run.UntilHalted(t.Context())
	require.NoError(t, again.Err())
	stopAgain()
	<-again.Done()
	require.ErrorIs(t, context.Cause(again), context.Canceled)
}
