package control_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scaffoldwatch/scaffoldwatch/internal/control"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// changed is a control.changed of a run, or of a session where the key says so.
func changed(key string, c runevents.Control, ended bool) events.Event {
	data := &runevents.ControlChanged{State: c.State, Why: c.Why, Break: c.Break, Scope: runevents.ScopeRun, Ended: ended}
	subject, isRun := key[len("run."):], key[:4] == "run."
	if !isRun {
		subject, data.Scope = key[len("session."):], runevents.ScopeSession
	}
	return events.Event{Type: runevents.TypeControlChanged, Subject: subject, Data: data}
}

var (
	keys    = []string{"run.r", "session.r", "session.s", "run.q"}
	anyKey  = rapid.SampledFrom(keys)
	decided = rapid.SampledFrom([]control.State{runevents.ControlRunning, runevents.ControlDraining, runevents.ControlPaused, runevents.ControlHalted})
)

// decision is one event with its place in DECISIONS.
type decision struct {
	key      string
	event    events.Event
	sequence uint64
}

func decisions(rt *rapid.T) []decision {
	var list []decision
	for i := range rapid.IntRange(0, 20).Draw(rt, "decisions") {
		key, state := anyKey.Draw(rt, "key"), decided.Draw(rt, "state")
		ended := rapid.IntRange(0, 4).Draw(rt, "ends") == 0
		e := changed(key, runevents.Control{State: state, Why: rapid.StringN(0, 3, -1).Draw(rt, "why")}, ended)
		list = append(list, decision{key, e, uint64(i + 1)})
	}
	return list
}

func fold(list []decision) *control.Projection {
	p := &control.Projection{}
	for _, d := range list {
		p.Decide(d.event, d.sequence)
	}
	return p
}

func same(rt *rapid.T, a, b *control.Projection) {
	for _, key := range keys {
		require.Equal(rt, a.Of(key), b.Of(key), key)
		require.Equal(rt, a.MayBegin(key), b.MayBegin(key), key)
	}
	require.Equal(rt, a.Len(), b.Len())
}

// The projection is that of each key's own last decision: neither how the decisions
// of several keys interleave nor in which order they are read matters.
func TestProjectionOfInterleavedDecisions(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		list := decisions(rt)
		p := fold(list)
		shuffled := rapid.Permutation(list).Draw(rt, "order")
		same(rt, p, fold(shuffled))
		same(rt, p, fold(append(slices.Clone(list), list...))) // what is read twice
		last := map[string]decision{}
		for _, d := range list {
			last[d.key] = d
		}
		same(rt, p, fold(slices.Collect(maps.Values(last))))
	})
}

// What holds for several keys is the stricter state of theirs.
func TestASessionIsAsStrictAsItsRun(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := fold(decisions(rt))
		a, b := anyKey.Draw(rt, "a"), anyKey.Draw(rt, "b")
		require.Equal(rt, control.Stricter(p.Of(a).State, p.Of(b).State), p.Of(a, b).State)
		require.Equal(rt, p.MayBegin(a) && p.MayBegin(b), p.MayBegin(a, b))
		require.Equal(rt, control.Permits(p.Of(a).State, control.Task), p.MayBegin(a) && p.Of(a).State != runevents.ControlUnknown)
	})
}

// A resume restores: whatever was decided before, what runs now may go on.
func TestAResumeRestores(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		list := decisions(rt)
		p := fold(list)
		key := anyKey.Draw(rt, "key")
		p.Decide(changed(key, runevents.Control{State: runevents.ControlHalted, Why: "broken"}, false), 100)
		require.Equal(rt, runevents.Control{State: runevents.ControlHalted, Why: "broken"}, p.Of(key))
		require.False(rt, p.MayBegin(key))
		p.Decide(changed(key, runevents.Control{State: runevents.ControlRunning}, false), 101)
		require.Equal(rt, runevents.Control{State: runevents.ControlRunning}, p.Of(key))
		require.True(rt, p.MayBegin(key))
		before := fold(list)
		for _, other := range keys {
			if other != key {
				require.Equal(rt, before.Of(other), p.Of(other), "it is no other's business")
			}
		}
	})
}

// What ended unhindered is not known to run, and may be begun again; what was
// stopped stays so after its end (RW-34).
func TestAnEndedRun(t *testing.T) {
	p := &control.Projection{}
	p.Decide(changed("run.r", runevents.Control{State: runevents.ControlRunning}, true), 1)
	require.Equal(t, runevents.Control{State: runevents.ControlUnknown, Why: "it has ended"}, p.Of("run.r"))
	require.True(t, p.MayBegin("run.r"))
	require.False(t, p.MayBegin("run.r", "session.s"), "of the session nothing is known")
	p.Decide(changed("run.r", runevents.Control{State: runevents.ControlHalted}, true), 2)
	require.Equal(t, runevents.ControlHalted, p.Of("run.r").State)
	require.False(t, p.MayBegin("run.r"))
	p.Forget("run.r")
	require.Equal(t, runevents.Control{State: runevents.ControlUnknown}, p.Of("run.r"))
	require.False(t, p.MayBegin("run.r"))
	require.Zero(t, p.Len())
}

func TestChangeOf(t *testing.T) {
	_, is := control.ChangeOf(events.Event{Subject: "r", Data: &runevents.RunCompleted{}})
	require.False(t, is)
	c, is := control.ChangeOf(changed("session.s", runevents.Control{State: runevents.ControlHalted, Break: "b"}, true))
	require.True(t, is)
	require.Equal(t, control.Change{Key: "session.s", Control: runevents.Control{State: runevents.ControlHalted, Break: "b"}}, c)
	require.True(t, c.Stopped())
	c, _ = control.ChangeOf(changed("run.r", runevents.Control{State: runevents.ControlRunning}, true))
	require.Equal(t, "run.r", c.Key)
	require.True(t, c.Ended)
	require.False(t, c.Stopped())
	p := &control.Projection{}
	_, is = p.Decide(events.Event{Data: &runevents.RunCompleted{}}, 1)
	require.False(t, is)
	for _, sequence := range []uint64{5, 4} { // an older one says so, and changes nothing
		state := map[uint64]control.State{5: runevents.ControlHalted, 4: runevents.ControlRunning}[sequence]
		c, is = p.Decide(changed("run.r", runevents.Control{State: state}, false), sequence)
		require.True(t, is)
		require.Equal(t, control.Change{Key: "run.r", Control: runevents.Control{State: state}}, c)
	}
	require.Equal(t, runevents.ControlHalted, p.Of("run.r").State)
	require.Equal(t, 1, p.Len())
}

// A decision counts before a value of the bucket, whichever is read first.
func TestADecisionCountsBeforeTheBucket(t *testing.T) {
	forged := runevents.Control{State: runevents.ControlRunning, Why: "forged"}
	halt := changed("run.r", runevents.Control{State: runevents.ControlHalted}, false)
	for _, sequence := range []uint64{0, 7} {
		p := &control.Projection{}
		p.Keep("run.r", forged)
		require.Equal(t, forged, p.Of("run.r"))
		p.Decide(halt, sequence)
		require.Equal(t, runevents.ControlHalted, p.Of("run.r").State)
		p.Keep("run.r", forged)
		require.Equal(t, runevents.ControlHalted, p.Of("run.r").State)
	}
}

// EV-8: of what DECISIONS no longer says the bucket keeps a stop alive, and lets
// nothing go on that the dispatcher may not have let.
func TestKept(t *testing.T) {
	for _, c := range []struct {
		value, origin string
		first         uint64
		want          control.State
	}{
		{`{"state":"halted"}`, "", 1, runevents.ControlHalted},
		{`{"state":"paused"}`, "a 9", 1, runevents.ControlPaused},
		{`{"state":"draining"}`, "a 9", 10, runevents.ControlDraining},
		{`{"state":"running"}`, "a 9", 10, runevents.ControlRunning},
		{`{"state":"running"}`, "a 9", 9, runevents.ControlUnknown},
		{`{"state":"running"}`, "a 0", 9, runevents.ControlUnknown},
		{`{"state":"running"}`, "a", 9, runevents.ControlUnknown},
		{`{"state":"running"}`, "a -1", 9, runevents.ControlUnknown},
		{`{"state":"running"}`, "a 1x", 9, runevents.ControlUnknown},
		{`{"state":"frozen"}`, "a 9", 10, runevents.ControlUnknown},
		{`{"state":"unknown"}`, "a 9", 10, runevents.ControlUnknown},
		{`{}`, "a 9", 10, runevents.ControlUnknown},
		{`torn`, "a 9", 10, runevents.ControlUnknown},
	} {
		got := control.Kept([]byte(c.value), control.ParseOrigin(c.origin), c.first)
		require.Equal(t, c.want, got.State, "%s of %q, DECISIONS from %d", c.value, c.origin, c.first)
	}
	require.True(t, control.Origin{Sequence: 1}.Aged(2))
	require.Zero(t, control.ParseOrigin("a 99999999999999999999").Sequence, "out of range")
	origin := control.Origin{Stream: "2026-01-01T00:00:00Z", Sequence: 18_000_000_000_000_000_000}
	require.Equal(t, origin, control.ParseOrigin(origin.String()))
	require.Contains(t, control.Kept([]byte("torn"), origin, 1).Why, "unreadable")
	require.Contains(t, control.Kept([]byte(`{"state":"running"}`), origin, 1).Why, "not decided by the dispatcher")
}
