package gates

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/commit"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/natstest"
	natssource "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/source"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, natstest.Leftovers()...) }

// answering is a dispatcher that answers gates by their wave; wave 4 is not
// closed, wave 5 fails, and next_phase has no rule.
type answering struct{}

func (answering) Stage() string                    { return "dispatcher" }
func (answering) New(string) int                   { return 0 }
func (answering) Version() int                     { return 1 }
func (answering) Size(int) int                     { return 8 }
func (answering) Options() step.Options[int]       { return step.Options[int]{} }
func (answering) Encode(state int) ([]byte, error) { return json.Marshal(state) }
func (answering) Decode(data []byte) (state int, err error) {
	return state, json.Unmarshal(data, &state)
}

func (answering) Step(s int, in step.Input, out *step.Emitter) (int, error) {
	q, ok := in.Event.Data.(*runevents.GateRequested)
	if !ok || q.Wave == 4 {
		return s, nil
	}
	closed := &runevents.RunEvaluated{Event: in.Event.ID, EventType: string(in.Event.Type), Decisions: []string{}, State: runevents.ControlRunning}
	tell := func(gate runevents.Gate, decision runevents.GateDecision) {
		out.Emit(runevents.TypeGateDecided, in.Event.Subject, &runevents.GateDecided{
			Gate: gate, Decision: decision, Rule: "WP-1", Why: in.Event.Subject, WhoDecides: "operator", Wave: q.Wave, Asked: in.Event.ID, Ahead: true,
		})
	}
	switch {
	case q.Wave == 5:
		closed.Failed = "over its budget"
	case q.Gate == runevents.GateNextPhase:
	case q.Wave == 3:
		tell("merge", runevents.DecisionAllow) // of another gate
		tell(q.Gate, runevents.DecisionDeny)
		tell(q.Gate, runevents.DecisionAllow)
	default:
		tell(q.Gate, runevents.DecisionAllowWithWarning)
	}
	out.Emit(runevents.TypeRunEvaluated, in.Event.Subject, closed)
	return s, nil
}

// passing passes everything on, in the place of ingest and evaluator.
type passing struct {
	answering
	stage string
}

func (p passing) Stage() string { return p.stage }
func (passing) Step(s int, in step.Input, out *step.Emitter) (int, error) {
	out.Forward(in.Event)
	return s, nil
}

// start runs the service with stand-ins for the stages, and gives a connection
// of a requester.
func start(t *testing.T, withStages bool, patience time.Duration) *nats.Conn {
	t.Helper()
	b := natstest.Run(t)
	layout := topology.Topology{Partitions: 2}
	broker, err := natsengine.Open(b.Conn, layout, natsengine.Keys{}, nil)
	require.NoError(t, err)
	_, err = topology.ProvisionOwn(t.Context(), broker.JetStream(), broker.Topology())
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 4)
	running := 1
	ready := make(chan struct{})
	go func() {
		done <- Run(ctx, Options{Conn: b.Conn, Broker: broker, Log: slog.New(slog.DiscardHandler), Patience: patience, Ready: func() { close(ready) }})
	}()
	if withStages {
		for _, m := range []step.Machine[int]{passing{stage: "ingest"}, passing{stage: "evaluator"}, answering{}} {
			source, err := natssource.Of(broker, m.Stage())
			require.NoError(t, err)
			sink, err := commit.Sink(broker, m.Stage())
			require.NoError(t, err)
			runner := &engine.Runner[int]{Machine: m, Source: source, Sink: sink, Options: engine.Options{Partitions: 2}}
			running++
			go func() { done <- runner.Run(ctx) }()
		}
	}
	t.Cleanup(func() {
		stop()
		for range running {
			if err := <-done; ctx.Err() == nil {
				require.NoError(t, err)
			}
		}
	})
	select {
	case <-ready:
	case err := <-done:
		running--
		require.NoError(t, err, "it ended before it was ready")
	}
	return b.Connect("requester")
}

func request(t *testing.T, nc *nats.Conn, subject, question string) (runevents.GateDecided, string) {
	t.Helper()
	msg, err := nc.Request(subject, []byte(question), time.Minute)
	require.NoError(t, err)
	var answer runevents.GateDecided
	require.NoError(t, json.Unmarshal(msg.Data, &answer), "%s", msg.Data)
	return answer, msg.Header.Get(micro.ErrorHeader)
}

func TestGatesAreAnswered(t *testing.T) {
	nc := start(t, true, time.Minute)
	for _, c := range []struct {
		subject, question string
		decision          runevents.GateDecision
		failed            string
	}{
		{Subject, `{"run":"nightly","gate":"launch","wave":1}`, "allow_with_warning", ""},
		{Subject + ".nightly", `{"gate":"launch","wave":1}`, "allow_with_warning", ""},
		{Subject, `{"run":"nightly","gate":"launch","wave":3}`, "deny", ""},
		{Subject, `{"run":"nightly","gate":"launch","wave":5}`, "deny", "over its budget"},
		{Subject, `{"run":"nightly","gate":"next_phase","phase":"x"}`, "deny", "no rule covers"},
		{Subject, `{"run":"nightly","gate":"lunch","wave":1}`, "deny", "use one of launch"},
		{Subject, `{"run":"no/id","gate":"launch","wave":1}`, "deny", "cannot be part of a subject"},
		{Subject, `{"gate":"launch","wave":1}`, "deny", "subject"},
		{Subject, `{"run":"nightly","gate":"launch","waves":1}`, "deny", "unknown field"},
		{Subject, `launch`, "deny", "read the question"},
		{Subject + ".nightly", `{"run":"other","gate":"launch","wave":1}`, "deny", "asks about run nightly"},
	} {
		answer, failed := request(t, nc, c.subject, c.question)
		require.Equal(t, c.decision, answer.Decision, c.question)
		require.Contains(t, failed, c.failed, c.question)
		require.Equal(t, c.failed == "", failed == "", "%s: %s", c.question, failed)
		if failed == "" {
			require.Equal(t, "WP-1", answer.Rule)
		} else {
			require.Equal(t, client.RuleFailClosed, answer.Rule)
		}
	}
}

// Many questions wait side by side, and each gets its own answer.
func TestQuestionsWaitSideBySide(t *testing.T) {
	nc := start(t, true, time.Minute)
	const many = 60
	results := make(chan error, many)
	for i := range many {
		go func() {
			run := fmt.Sprintf("run-%d", i)
			msg, err := nc.Request(Subject, fmt.Appendf(nil, `{"run":%q,"gate":"launch","wave":1}`, run), 2*time.Minute)
			var answer runevents.GateDecided
			if err == nil {
				err = json.Unmarshal(msg.Data, &answer)
			}
			if err == nil && answer.Why != run {
				err = fmt.Errorf("%s got the answer of %s: %s", run, answer.Why, msg.Data)
			}
			results <- err
		}()
	}
	for range many {
		require.NoError(t, <-results)
	}
	msg, err := nc.Request("$SRV.STATS."+Name, nil, 10*time.Second)
	require.NoError(t, err)
	require.Contains(t, string(msg.Data), fmt.Sprintf(`"allowed":%d,`, many))
	msg, err = nc.Request("$SRV.PING."+Name, nil, 10*time.Second)
	require.NoError(t, err)
	require.Contains(t, string(msg.Data), Name)
}

// Without the stages nobody answers, and the gate is closed.
func TestGatesFailClosed(t *testing.T) {
	nc := start(t, false, 300*time.Millisecond)
	answer, failed := request(t, nc, Subject, `{"run":"nightly","gate":"merge","wave":2}`)
	require.Equal(t, runevents.DecisionDeny, answer.Decision)
	require.Equal(t, 2, answer.Wave)
	require.Contains(t, answer.Why, "stays closed")
	require.Contains(t, failed, "are ingest, evaluator and dispatcher running?")
	nc = start(t, true, time.Second)
	answer, failed = request(t, nc, Subject, `{"run":"nightly","gate":"launch","wave":4}`)
	require.Equal(t, runevents.DecisionDeny, answer.Decision)
	require.Contains(t, failed, "no answer about")
}

// An answer goes to an inbox and nowhere else: the service has rights that who
// asks has not.
func TestRepliesGoToInboxesOnly(t *testing.T) {
	nc := start(t, true, time.Minute)
	stolen, err := nc.SubscribeSync("wiggum.>")
	require.NoError(t, err)
	require.NoError(t, nc.PublishRequest(Subject, "wiggum.break.0.nightly.nightly", []byte(`{"run":"nightly","gate":"launch","wave":1}`)))
	answer, _ := request(t, nc, Subject, `{"run":"nightly","gate":"launch","wave":1}`)
	require.Equal(t, runevents.DecisionAllowWithWarning, answer.Decision)
	require.Eventually(t, func() bool {
		msg, err := nc.Request("$SRV.STATS."+Name, nil, 10*time.Second)
		return err == nil && strings.Contains(string(msg.Data), `"ignored":1`)
	}, time.Minute, 10*time.Millisecond)
	require.NoError(t, nc.Flush())
	pending, _, err := stolen.Pending()
	require.NoError(t, err)
	require.Zero(t, pending)
}
