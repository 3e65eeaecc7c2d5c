package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/enginetest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/memory"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const partitions = 4

var identity = step.Identity{RulesVersion: "1", ConfigHash: "c"}

var brisk = engine.Options{Partitions: partitions, MinPause: time.Microsecond, MaxPause: time.Millisecond}

func turn(session, id, text string) events.Event {
	return events.Event{
		ID: id, Source: "/test", Type: sessionevents.TypeTurnRaw, Subject: session,
		Time: time.Unix(1_700_000_000, 0).UTC(), Data: &sessionevents.Turn{Session: session, TurnID: id, Text: text},
	}
}

// past is a stage's: the stream it reads, the one it writes, and how its commits
// fail. The source has ended unless the past is live.
type past struct {
	in, out  *memory.Stream
	onCommit func(n int) enginetest.Failure
}

func newPast(partitions int) *past {
	p := livePast(partitions)
	p.in.End()
	return p
}

func livePast(partitions int) *past {
	return &past{in: memory.NewStream(events.StreamInput, partitions), out: memory.NewStream(events.StreamSegments, partitions)}
}

func (p *past) sink() engine.Sink {
	if p.onCommit == nil {
		return p.out
	}
	return &enginetest.Failing{Sink: p.out, OnCommit: p.onCommit}
}

// snapshot returns the committed snapshot of a group of partition 0.
func (p *past) snapshot(t *testing.T, group string) engine.Snapshot {
	t.Helper()
	log, err := p.out.Open(context.Background(), 0)
	require.NoError(t, err)
	snapshot, err := log.Snapshot(context.Background(), group)
	require.NoError(t, err)
	require.NotNil(t, snapshot)
	return *snapshot
}

// setSnapshot commits one, as an older or newer program would.
func (p *past) setSnapshot(t *testing.T, snapshot engine.Snapshot) {
	t.Helper()
	log, err := p.out.Open(context.Background(), 0)
	require.NoError(t, err)
	require.NoError(t, log.Commit(context.Background(), engine.Batch{Position: log.Position(), Snapshots: []engine.Snapshot{snapshot}}))
}

// fill appends turns of several sessions, every tenth twice.
func fill(m *past, turns int) {
	random := rand.New(rand.NewPCG(1, 2))
	for i := range turns {
		ev := turn(fmt.Sprintf("s%d", random.IntN(7)), fmt.Sprintf("t%d", i), strings.Repeat("x", random.IntN(50)))
		m.in.Append(ev)
		if i%10 == 0 {
			m.in.Append(ev)
		}
	}
}

func run(t *testing.T, m *past, machine enginetest.Tally, o engine.Options) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	runner := &engine.Runner[*enginetest.State]{Machine: machine, Identity: identity, Source: m.in, Sink: m.sink(), Options: o}
	require.NoError(t, runner.Run(ctx))
	require.NoError(t, ctx.Err(), "did not finish")
}

// pureFold is what the machine derives without a runner, by partition.
func pureFold(t *testing.T, m *past, machine enginetest.Tally, inputs []events.Event) [partitions][]string {
	t.Helper()
	var want [partitions][]string
	states := map[string]*enginetest.State{}
	for _, ev := range inputs {
		group := ev.Group()
		if states[group] == nil {
			states[group] = machine.New(group)
		}
		out := step.NewEmitter(machine.Stage(), identity, ev)
		next, err := machine.Step(states[group], step.Input{Event: ev}, out)
		require.NoError(t, err)
		states[group] = next
		for _, derived := range out.Events() {
			data, err := json.Marshal(derived.Data)
			require.NoError(t, err)
			want[subjects.Partition(group, partitions)] = append(want[subjects.Partition(group, partitions)], derived.ID+" "+string(data))
		}
	}
	return want
}

func written(t *testing.T, m *past) [partitions][]string {
	t.Helper()
	var got [partitions][]string
	for n := range partitions {
		for message, err := range m.out.Written(context.Background(), n) {
			require.NoError(t, err)
			got[n] = append(got[n], message.Header["ce-id"][0]+" "+string(message.Data))
		}
	}
	return got
}

func inputs(t *testing.T, m *past) []events.Event {
	t.Helper()
	var all []events.Event
	for n := range partitions {
		reading, err := m.in.Read(context.Background(), n, engine.Position{})
		require.NoError(t, err)
		for {
			record, ok, err := reading.Ready()
			require.NoError(t, err)
			if !ok {
				break
			}
			all = append(all, record.Input.Event)
		}
	}
	return all
}

func TestEveryFailureLeavesThePureFold(t *testing.T) {
	failures := map[string]func(n int) enginetest.Failure{
		"none": nil,
		"every commit lost once": func(n int) enginetest.Failure {
			return []enginetest.Failure{enginetest.None, enginetest.Lost}[n%2]
		},
		"every answer lost once": func(n int) enginetest.Failure {
			return []enginetest.Failure{enginetest.None, enginetest.Unsure}[n%2]
		},
		"at random": func(n int) enginetest.Failure { return enginetest.Failure(rand.IntN(3)) },
	}
	for name, failure := range failures {
		for _, o := range []engine.Options{
			{MaxInputs: 1}, {MaxInputs: 7, SnapshotFirst: 1, SnapshotEvery: 3}, {StateBytes: 1}, {MaxInputs: 50, StateBytes: 4000}, {},
		} {
			t.Run(fmt.Sprintf("%s/%d inputs/%d bytes", name, o.MaxInputs, o.StateBytes), func(t *testing.T) {
				m := newPast(partitions)
				fill(m, 400)
				m.onCommit = failure
				o.Partitions, o.MinPause, o.MaxPause = partitions, brisk.MinPause, brisk.MaxPause
				run(t, m, enginetest.Tally{}, o)
				require.Equal(t, pureFold(t, m, enginetest.Tally{}, inputs(t, m)), written(t, m))
			})
		}
	}
}

func TestTwoOwnersRace(t *testing.T) {
	m := newPast(partitions)
	fill(m, 500)
	o := brisk
	o.MaxInputs, o.StateBytes = 3, 3000
	done := make(chan struct{})
	go func() {
		defer close(done)
		run(t, m, enginetest.Tally{}, o)
	}()
	run(t, m, enginetest.Tally{}, o)
	<-done
	require.Equal(t, pureFold(t, m, enginetest.Tally{}, inputs(t, m)), written(t, m))
}

func TestPoisonPassesAndThePartitionGoesOn(t *testing.T) {
	for _, o := range []engine.Options{brisk, {Partitions: partitions, StateBytes: 1, MaxInputs: 1, MinPause: 1, MaxPause: 1}} {
		m := newPast(partitions)
		m.onCommit = func(n int) enginetest.Failure { return []enginetest.Failure{0, enginetest.Lost}[n%2] }
		o.StepBudget = 250 * time.Millisecond
		machine := enginetest.Tally{Slow: make(chan struct{})}
		t.Cleanup(func() { close(machine.Slow) })
		good := []events.Event{turn("s", "a", "one"), turn("s", "e", "two"), turn("s", "f", "three")}
		m.in.Append(good[0])
		bad := map[string]string{"b": "panic now", "c": "error now", "d": "slow now", "m": "many 1500"}
		for _, id := range []string{"b", "c", "d", "m"} {
			m.in.Append(turn("s", id, bad[id]))
		}
		fault := m.in.AppendRecord(engine.Record{Group: "s", Fault: "unknown type \"x.y\"", Data: []byte("abc")})
		m.in.Append(good[1])
		m.in.Append(good[2])
		run(t, m, machine, o)

		want := pureFold(t, m, machine, good)
		var got [partitions][]string
		faults := map[string]string{}
		for n, lines := range written(t, m) {
			for _, line := range lines {
				var result sessionevents.TurnEvaluated
				_, data, _ := strings.Cut(line, " ")
				require.NoError(t, json.Unmarshal([]byte(data), &result))
				if result.Failed != "" {
					faults[result.Signals[0]] = result.Failed
					continue
				}
				got[n] = append(got[n], line)
			}
		}
		require.Equal(t, want, got, "the state is the one before the poison")
		require.Contains(t, faults["b"], "step panics at tally.go:")
		require.NotContains(t, faults["b"], "secret", "a panic's value may quote the input (SW-7)")
		require.Equal(t, "step fails: told to fail", faults["c"])
		require.Equal(t, "step exceeds its budget of 250ms", faults["d"])
		require.Contains(t, faults["m"], "derives 1500 events")

		letters := m.out.DeadLetters()
		require.Len(t, letters, 5)
		refused := letters[fmt.Sprintf("tally %d", fault)]
		require.Equal(t, "unknown type \"x.y\"", refused.Reason)
		require.Equal(t, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", refused.Hash, "of abc")
		require.Equal(t, 3, refused.Length)
	}
}

func TestHugeTurnCommitsAlone(t *testing.T) {
	m := newPast(1)
	for i := range 3 {
		m.in.Append(turn("s", fmt.Sprint(i), "small"))
	}
	m.in.Append(turn("s", "huge", "many 300"))
	for i := range 3 {
		m.in.Append(turn("s", fmt.Sprint(10+i), "small"))
	}
	var batches []engine.CommitStats
	runner := &engine.Runner[*enginetest.State]{
		Machine: enginetest.Tally{}, Identity: identity, Source: m.in, Sink: m.sink(),
		Observer: &listener{commits: &batches},
		Options:  engine.Options{Partitions: 1, MaxBytes: 10_000, MaxFold: time.Minute},
	}
	require.NoError(t, runner.Run(context.Background()))
	var sizes []int
	for _, batch := range batches {
		sizes = append(sizes, batch.Messages)
	}
	require.Equal(t, []int{3, 300, 3}, sizes)
}

type listener struct {
	engine.NoObserver
	commits    *[]engine.CommitStats
	evicted    int
	restarting []error
}

func (l *listener) Committed(stats engine.CommitStats, err error) {
	if err == nil && l.commits != nil {
		*l.commits = append(*l.commits, stats)
	}
}
func (l *listener) Evicted(int, int)            { l.evicted++ }
func (l *listener) Restarting(_ int, err error) { l.restarting = append(l.restarting, err) }

func TestSnapshotsAtDoublingIntervals(t *testing.T) {
	m := newPast(1)
	for i := range 400 {
		m.in.Append(turn("s", fmt.Sprint(i), "x"))
	}
	var batches []engine.CommitStats
	runner := &engine.Runner[*enginetest.State]{
		Machine: enginetest.Tally{}, Identity: identity, Source: m.in, Sink: m.sink(),
		Observer: &listener{commits: &batches},
		Options:  engine.Options{Partitions: 1, MaxInputs: 1, SnapshotFirst: 8, SnapshotEvery: 64},
	}
	require.NoError(t, runner.Run(context.Background()))
	var at []int
	for i, batch := range batches {
		if batch.Snapshots > 0 {
			at = append(at, i+1)
		}
	}
	require.Equal(t, []int{8, 16, 32, 64, 128, 192, 256, 320, 384}, at)
}

func TestSnapshotVersions(t *testing.T) {
	old := newPast(1)
	for i := range 20 {
		old.in.Append(turn("s", fmt.Sprint(i), "x"))
	}
	o := engine.Options{Partitions: 1, MinPause: 1, MaxPause: 1}
	run(t, old, enginetest.Tally{Schema: 2}, o)
	require.Equal(t, 2, old.snapshot(t, "s").Version)
	old.in.Append(turn("s", "next", "x"))

	t.Run("an older one is rebuilt from the stream", func(t *testing.T) {
		run(t, old, enginetest.Tally{Schema: 3}, o)
		require.EqualValues(t, 21, old.out.Position(0).Sequence)
		require.Contains(t, lastLine(t, old), `"turn":21,`)
	})
	t.Run("an older one is read where the machine can", func(t *testing.T) {
		older := newPast(1)
		older.in.Append(turn("s", "only", "x"))
		older.setSnapshot(t, engine.Snapshot{Group: "s", Version: 1, Sequence: 0, Data: pack(t, `{"count":40}`)})
		run(t, older, enginetest.Tally{Schema: 3, Reads: 1}, o)
		require.Contains(t, lastLine(t, older), `"turn":41,`)
		older = newPast(1)
		older.in.Append(turn("s", "only", "x"))
		older.setSnapshot(t, engine.Snapshot{Group: "s", Version: 1, Sequence: 0, Data: pack(t, `{"count":40}`)})
		run(t, older, enginetest.Tally{Schema: 3, Reads: 2}, o)
		require.Contains(t, lastLine(t, older), `"turn":1,`)
	})
	t.Run("a newer one is refused", func(t *testing.T) {
		old.setSnapshot(t, engine.Snapshot{Group: "s", Version: 9, Sequence: 20})
		old.in.Append(turn("s", "refused", "x"))
		ctx, cancel := context.WithCancel(context.Background())
		l := &cancelling{cancel: cancel}
		runner := &engine.Runner[*enginetest.State]{Machine: enginetest.Tally{Schema: 3}, Source: old.in, Sink: old.sink(), Options: o, Observer: l}
		require.NoError(t, runner.Run(ctx))
		require.ErrorContains(t, l.err, "schema version 9, this program reads up to 3: upgrade it")
		require.EqualValues(t, 21, old.out.Position(0).Sequence)
	})
	t.Run("a damaged one is rebuilt", func(t *testing.T) {
		old.setSnapshot(t, engine.Snapshot{Group: "s", Version: 3, Sequence: 20, Data: []byte("damaged")})
		run(t, old, enginetest.Tally{Schema: 3}, o)
		require.Contains(t, lastLine(t, old), `"turn":22,`)
	})
}

func pack(t *testing.T, state string) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	require.NoError(t, err)
	return w.EncodeAll([]byte(state), nil)
}

type cancelling struct {
	engine.NoObserver
	cancel context.CancelFunc
	err    error
}

func (c *cancelling) Restarting(_ int, err error) { c.err = err; c.cancel() }

func lastLine(t *testing.T, m *past) string {
	t.Helper()
	last := ""
	for message, err := range m.out.Written(context.Background(), 0) {
		require.NoError(t, err)
		last = string(message.Data)
	}
	return last
}

func TestIdlePartitionSavesDirtyStates(t *testing.T) {
	m := livePast(1)
	m.in.Append(turn("s", "a", "x"))
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	runner := &engine.Runner[*enginetest.State]{
		Machine: enginetest.Tally{}, Source: m.in, Sink: m.sink(),
		Observer: &untilSnapshot{cancel: cancel}, Options: engine.Options{Partitions: 1, DirtyFor: 20 * time.Millisecond},
	}
	require.NoError(t, runner.Run(ctx))
	require.ErrorIs(t, ctx.Err(), context.Canceled, "no snapshot came")
	require.EqualValues(t, 1, m.snapshot(t, "s").Sequence)
}

type untilSnapshot struct {
	engine.NoObserver
	cancel context.CancelFunc
}

func (u *untilSnapshot) Committed(stats engine.CommitStats, _ error) {
	if stats.Snapshots > 0 {
		u.cancel()
	}
}

func TestSharedPartitionsMoveBetweenInstances(t *testing.T) {
	m := livePast(partitions)
	fill(m, 100)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	shares := []chan []int{make(chan []int), make(chan []int)}
	done := make(chan error, len(shares))
	for _, share := range shares {
		runner := &engine.Runner[*enginetest.State]{Machine: enginetest.Tally{}, Identity: identity, Source: m.in, Sink: m.sink(), Options: brisk}
		go func() { done <- runner.Share(ctx, share) }()
	}
	want := func() bool {
		expected, got := pureFold(t, m, enginetest.Tally{}, inputs(t, m)), written(t, m)
		return fmt.Sprint(expected) == fmt.Sprint(got)
	}
	for round := range 6 {
		shares[round%2] <- []int{0, 1}
		shares[(round+1)%2] <- []int{2, 3}
		m.in.Append(turn(fmt.Sprintf("r%d", round), fmt.Sprintf("r%d", round), "x"))
		fill(m, 20)
		require.Eventually(t, want, time.Minute, time.Millisecond)
	}
	close(shares[0])
	close(shares[1])
	require.NoError(t, <-done)
	require.NoError(t, <-done)
}

func TestAssign(t *testing.T) {
	instances := []string{"a", "b", "c"}
	owners := map[int]string{}
	for _, self := range instances {
		for _, partition := range engine.Assign(self, instances, 64) {
			require.Empty(t, owners[partition], "one owner each")
			owners[partition] = self
		}
	}
	require.Len(t, owners, 64)
	for _, self := range instances {
		require.Greater(t, len(engine.Assign(self, instances, 64)), 10)
	}
	for _, partition := range engine.Assign("a", []string{"a", "b"}, 64) {
		require.NotEqual(t, "b", owners[partition], "what b had stays with b when c leaves")
	}
	require.Len(t, engine.Assign("x", nil, 5), 5)
}
