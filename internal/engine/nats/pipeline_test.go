package nats_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/enginetest"
	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/commit"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/natstest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	natssource "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/source"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, natstest.Leftovers()...) }

const partitions = 4

var (
	layout   = topology.Topology{Partitions: partitions}
	identity = step.Identity{RulesVersion: "1", ConfigHash: "c"}
	brisk    = engine.Options{Partitions: partitions, MinPause: time.Millisecond, MaxPause: 50 * time.Millisecond}
)

// heard collects what a broker skipped, by reason.
type heard struct {
	mu      sync.Mutex
	reasons map[string]int
}

func (h *heard) Skipped(_ string, _ int, reason string, _ uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.reasons == nil {
		h.reasons = map[string]int{}
	}
	h.reasons[reason]++
}

func (h *heard) all() map[string]int {
	h.mu.Lock()
	defer h.mu.Unlock()
	copied := map[string]int{}
	for reason, n := range h.reasons {
		copied[reason] = n
	}
	return copied
}

func open(t testing.TB, nc *nats.Conn, keys natsengine.Keys, observer natsengine.Observer) *natsengine.Broker {
	t.Helper()
	b, err := natsengine.Open(nc, layout, keys, observer)
	require.NoError(t, err)
	differences, err := topology.ProvisionOwn(context.Background(), b.JetStream(), b.Topology())
	require.NoError(t, err)
	require.Empty(t, differences)
	return b
}

func turn(session, id, text string) events.Event {
	return events.Event{
		ID: id, Source: "/test", Type: sessionevents.TypeTurnRaw, Subject: session, Time: time.Unix(1_700_000_000, 0).UTC(),
		Data: &sessionevents.Turn{Session: session, TurnID: id, Format: "markdown", Text: text},
	}
}

func publish(t testing.TB, b *natsengine.Broker, ev events.Event) {
	t.Helper()
	subject, err := subjects.PublishedSubject(ev)
	require.NoError(t, err)
	header, data, err := events.EncodeBinary(ev)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for {
		_, err = b.JetStream().PublishMsg(ctx, &nats.Msg{Subject: subject, Header: header, Data: data})
		if err == nil || ctx.Err() != nil {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	require.NoError(t, err)
}

// fill publishes turns of several sessions, every tenth twice, and returns them
// with the twins.
func fill(t testing.TB, b *natsengine.Broker, prefix string, turns int) []events.Event {
	random := rand.New(rand.NewPCG(3, 4))
	var all []events.Event
	for i := range turns {
		ev := turn(fmt.Sprintf("s%d", random.IntN(9)), fmt.Sprintf("%s%d", prefix, i), strings.Repeat("x", random.IntN(50)))
		for range 1 + (i%10)/9 {
			publish(t, b, ev)
			all = append(all, ev)
		}
	}
	return all
}

// runs starts a stage and returns how to stop it, which waits for its end.
func runs(
	t testing.TB, b *natsengine.Broker, machine step.Machine[*enginetest.State],
	o engine.Options, observer engine.Observer,
) (stop func()) {
	t.Helper()
	source, err := natssource.Of(b, machine.Stage())
	require.NoError(t, err)
	sink, err := commit.Sink(b, machine.Stage())
	require.NoError(t, err)
	runner := &engine.Runner[*enginetest.State]{Machine: machine, Identity: identity, Source: source, Sink: sink, Options: o, Observer: observer}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- runner.Run(ctx) }()
	var once sync.Once
	stop = func() {
		once.Do(func() {
			cancel()
			require.NoError(t, <-done)
		})
	}
	t.Cleanup(stop)
	return stop
}

// model is what a chain of tallies derives from inputs, the last one's output
// by partition. Each stage sees the stage before it.
func model(t testing.TB, inputs []events.Event, names ...string) [partitions][]string {
	t.Helper()
	for _, name := range names {
		machine := enginetest.Tally{Name: name}
		states := map[string]*enginetest.State{}
		var derived []events.Event
		for _, ev := range inputs {
			group := ev.Group()
			if states[group] == nil {
				states[group] = machine.New(group)
			}
			out := step.NewEmitter(name, identity, ev)
			next, err := machine.Step(states[group], step.Input{Event: ev}, out)
			require.NoError(t, err)
			states[group] = next
			derived = append(derived, out.Events()...)
		}
		inputs = derived
	}
	var want [partitions][]string
	for _, ev := range inputs {
		p := subjects.Partition(ev.Group(), partitions)
		want[p] = append(want[p], line(t, ev))
	}
	return want
}

func line(t testing.TB, ev events.Event) string {
	data, err := events.EncodeData(ev)
	require.NoError(t, err)
	return ev.ID + " " + ev.Subject + " " + string(data)
}

// accepted reads n events of a stage through the accepting reader, then says
// whether more are at hand.
func accepted(t testing.TB, b *natsengine.Broker, name string, n int) [partitions][]string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var reader *read.Reader
	require.Eventually(t, func() bool { // the broker may be starting
		var err error
		reader, err = read.Open(ctx, b, read.Options{Stage: name, Partition: natsengine.AllPartitions})
		return err == nil
	}, time.Minute, 10*time.Millisecond)
	defer reader.Close()
	var got [partitions][]string
	for found := 0; found < n; {
		a, err := reader.Next(ctx)
		require.NoError(t, err, "after %d of %d events", found, n)
		if a.Idle {
			continue
		}
		require.Empty(t, a.Fault)
		got[a.Partition] = append(got[a.Partition], line(t, a.Input.Event))
		found++
	}
	return got
}

func count(lines [partitions][]string) int {
	n := 0
	for _, of := range lines {
		n += len(of)
	}
	return n
}

func TestThreeStages(t *testing.T) {
	b := open(t, natstest.Run(t).Conn, natsengine.Keys{}, nil)
	names := []string{"ingest", "evaluator", "dispatcher"}
	for _, name := range names {
		runs(t, b, enginetest.Tally{Name: name}, brisk, nil)
	}
	inputs := fill(t, b, "t", 300)
	for i := range names {
		want := model(t, inputs, names[:i+1]...)
		require.Equal(t, want, accepted(t, b, names[i], count(want)), names[i])
	}
}

func TestTwoOwnersRaceThroughABrokerThatRestarts(t *testing.T) {
	broker := natstest.Run(t)
	b := open(t, broker.Conn, natsengine.Keys{}, nil)
	other := open(t, broker.Connect("other"), natsengine.Keys{}, nil)
	o := brisk
	o.MaxInputs, o.StateBytes, o.CommitTimeout = 5, 4000, 2*time.Second
	for _, owner := range []*natsengine.Broker{b, other} {
		runs(t, owner, enginetest.Tally{Name: "ingest"}, o, nil)
		runs(t, owner, enginetest.Tally{Name: "evaluator"}, o, nil)
	}
	var inputs []events.Event
	for round := range 4 {
		inputs = append(inputs, fill(t, b, fmt.Sprintf("r%d-", round), 150)...)
		broker.Restart()
	}
	want := model(t, inputs, "ingest", "evaluator")
	require.Equal(t, want, accepted(t, b, "evaluator", count(want)))
}

func TestRestartGoesOnWhereItStopped(t *testing.T) {
	broker := natstest.Run(t)
	b := open(t, broker.Conn, natsengine.Keys{}, nil)
	var inputs []events.Event
	for round := range 5 {
		stop := runs(t, b, enginetest.Tally{Name: "ingest"}, brisk, nil)
		inputs = append(inputs, fill(t, b, fmt.Sprintf("r%d-", round), 40)...)
		want := model(t, inputs, "ingest")
		accepted(t, b, "ingest", count(want)/2)
		stop()
	}
	runs(t, b, enginetest.Tally{Name: "ingest"}, brisk, nil)
	want := model(t, inputs, "ingest")
	require.Equal(t, want, accepted(t, b, "ingest", count(want)))
}

func TestPoisonOnTheBroker(t *testing.T) {
	b := open(t, natstest.Run(t).Conn, natsengine.Keys{}, nil)
	o := brisk
	o.StateBytes = 1
	stop := runs(t, b, enginetest.Tally{Name: "ingest"}, o, nil)
	good := []events.Event{turn("s", "a", "one"), turn("s", "b", "two")}
	publish(t, b, good[0])
	publish(t, b, turn("s", "bad", "panic "+"now"))
	ctx := context.Background()
	_, err := b.JetStream().Publish(ctx, "turn.raw.s.s", []byte(`{"stream":"X","seq":1}`))
	require.NoError(t, err)
	unknown := nats.NewMsg("run.raw.s.s")
	unknown.Header = nats.Header{"ce-specversion": {"1.0"}, "ce-id": {"u"}, "ce-source": {"/x"}, "ce-type": {"no.such"}, "ce-subject": {"s"}}
	unknown.Data = []byte("{}")
	_, err = b.JetStream().PublishMsg(ctx, unknown)
	require.NoError(t, err)
	publish(t, b, good[1])

	got := accepted(t, b, "ingest", 3)
	var lines []string
	for _, of := range got {
		lines = append(lines, of...)
	}
	require.Contains(t, lines[1], "step panics at tally.go:")
	want := model(t, good, "ingest")
	require.Equal(t, want[subjects.Partition("s", partitions)], []string{lines[0], lines[2]}, "the state is the one before the poison")

	stop()
	dead, err := b.JetStream().Stream(ctx, "DEADLETTER")
	require.NoError(t, err)
	require.EqualValues(t, 3, dead.CachedInfo().State.Msgs)
	for sequence, reason := range map[uint64]string{2: "step panics", 3: "no ce-specversion", 4: "no.such"} {
		m, err := dead.GetLastMsgForSubject(ctx, subjects.DeadLetterSubject("ingest", subjects.Partition("s", partitions), "s", fmt.Sprint(sequence)))
		require.NoError(t, err)
		require.Contains(t, string(m.Data), reason)
		require.NotContains(t, string(m.Data), "panic now")
	}
	// A new owner that rebuilds the state from nothing passes over the same.
	runs(t, b, enginetest.Tally{Name: "ingest"}, o, nil)
	publish(t, b, turn("s", "c", "three"))
	want = model(t, append(good, turn("s", "c", "three")), "ingest")
	last := accepted(t, b, "ingest", 4)[subjects.Partition("s", partitions)]
	require.Equal(t, want[subjects.Partition("s", partitions)][2], last[3])
}

func TestTinyAndHugeMemoryDeriveTheSame(t *testing.T) {
	var results [][partitions][]string
	for _, bytes := range []int{1, 1 << 30} {
		b := open(t, natstest.Run(t).Conn, natsengine.Keys{}, nil)
		o := brisk
		o.StateBytes = bytes
		runs(t, b, enginetest.Tally{Name: "ingest"}, o, nil)
		runs(t, b, enginetest.Tally{Name: "evaluator", Pad: 2000}, o, nil)
		inputs := fill(t, b, "t", 200)
		results = append(results, accepted(t, b, "evaluator", count(model(t, inputs, "ingest", "evaluator"))))
	}
	require.Equal(t, results[0], results[1])
}

func TestHugeTurnCommitsAlone(t *testing.T) {
	b := open(t, natstest.Run(t).Conn, natsengine.Keys{}, nil)
	publish(t, b, turn("s", "a", "small"))
	publish(t, b, turn("s", "b", "many 800"))
	publish(t, b, turn("s", "c", "many 800"))
	publish(t, b, turn("s", "d", strings.Repeat("y", 3<<20)))
	runs(t, b, enginetest.Tally{Name: "ingest"}, brisk, nil)
	require.Equal(t, 1602, count(accepted(t, b, "ingest", 1602)))
}

func TestSourceThatLostItsTailIsNoticed(t *testing.T) {
	for _, name := range []string{"ingest", "evaluator"} {
		t.Run(name, func(t *testing.T) {
			b := open(t, natstest.Run(t).Conn, natsengine.Keys{}, nil)
			stops := []func(){runs(t, b, enginetest.Tally{Name: "ingest"}, brisk, nil), runs(t, b, enginetest.Tally{Name: "evaluator"}, brisk, nil)}
			inputs := fill(t, b, "t", 30)
			accepted(t, b, "evaluator", count(model(t, inputs, "ingest", "evaluator")))
			for _, stop := range stops {
				stop()
			}
			ctx := context.Background()
			stream := string(subjects.SourceOf(name))
			source, err := b.JetStream().Stream(ctx, stream)
			require.NoError(t, err)
			config := source.CachedInfo().Config
			require.NoError(t, b.JetStream().DeleteStream(ctx, stream))
			_, err = b.JetStream().CreateStream(ctx, config)
			require.NoError(t, err)

			l := &firstError{errs: make(chan error, 100)}
			runs(t, b, enginetest.Tally{Name: name}, brisk, l)
			require.ErrorIs(t, <-l.errs, read.ErrTruncated)
		})
	}
}

type firstError struct {
	engine.NoObserver
	errs chan error
}

func (f *firstError) Restarting(_ int, err error) {
	select {
	case f.errs <- err:
	default:
	}
}
