package fleet

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/memory"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/internal/stage/dispatch"
	"github.com/scaffoldwatch/scaffoldwatch/internal/stage/evaluate"
	"github.com/scaffoldwatch/scaffoldwatch/internal/stage/ingest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
	"github.com/scaffoldwatch/scaffoldwatch/test/proofs"
	"github.com/scaffoldwatch/scaffoldwatch/test/workload"
)

// single returns the cases of one run, all with the same start and four times as fast, so that time passing
// in one run fires no timer in another (EV-9).
func single(seed uint64) []workload.Case {
	var list []workload.Case
	start := time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)
	for _, pair := range workload.Fleet(seed, workload.Dysfunctions()) {
		for _, c := range []workload.Case{pair.Sick, pair.Clean} {
			if c.Offline || len(c.Runs()) > 1 {
				continue
			}
			began := c.Events[0].Time
			for i := range c.Events {
				c.Events[i].Time = start.Add(c.Events[i].Time.Sub(began) / 4)
				c.Events[i].PartitionKey = c.Events[i].Group()
			}
			list = append(list, c)
		}
	}
	return list
}

// lines returns a case's decisions as they are sent.
func lines(t require.TestingT, chain *memory.Chain, list []events.Event) map[string][]string {
	out := map[string][]string{}
	for _, e := range list {
		for _, d := range chain.Feed(e) {
			line, err := events.MarshalStructured(d)
			require.NoError(t, err)
			out[d.Group()] = append(out[d.Group()], string(line))
		}
	}
	return out
}

// However the events of several runs come in between each other, each run is
// decided as alone.
func TestAnyInterleaving(t *testing.T) {
	core, err := machines.New(machines.Options{Rules: rules.Default()})
	require.NoError(t, err)
	cases := single(21)
	proofs.Check(t, 15, func(rt *rapid.T) {
		var chosen [][]events.Event
		var all []events.Event
		want := map[string][]string{}
		for _, i := range rapid.SliceOfNDistinct(rapid.IntRange(0, len(cases)-1), 2, 5, rapid.ID).Draw(rt, "cases") {
			chosen = append(chosen, cases[i].Events)
			for group, list := range lines(rt, core.Chain(), cases[i].Events) {
				want[group] = list
			}
		}
		for len(chosen) > 0 {
			i := rapid.IntRange(0, len(chosen)-1).Draw(rt, "next")
			burst := min(len(chosen[i]), rapid.IntRange(1, 9).Draw(rt, "burst"))
			all = append(all, chosen[i][:burst]...)
			if chosen[i] = chosen[i][burst:]; len(chosen[i]) == 0 {
				chosen = slices.Delete(chosen, i, i+1)
			}
		}
		require.Equal(rt, want, lines(rt, core.Chain(), all))
	})
}

// An event that comes again, at once or late, changes nothing.
func TestAnyDuplicates(t *testing.T) {
	core, err := machines.New(machines.Options{Rules: rules.Default()})
	require.NoError(t, err)
	cases := single(22)
	proofs.Check(t, 15, func(rt *rapid.T) {
		list := cases[rapid.IntRange(0, len(cases)-1).Draw(rt, "case")].Events
		want := lines(rt, core.Chain(), list)
		again := slices.Clone(list)
		for range rapid.IntRange(1, 12).Draw(rt, "duplicates") {
			from := rapid.IntRange(0, len(list)-1).Draw(rt, "event")
			first := slices.IndexFunc(again, func(e events.Event) bool { return e.ID == list[from].ID })
			again = slices.Insert(again, rapid.IntRange(first+1, len(again)).Draw(rt, "place"), list[from])
		}
		require.Equal(rt, want, lines(rt, core.Chain(), again))
	})
}

// forgetful is a machine that reads its own snapshot before each of some events.
type forgetful[S any] struct {
	step.Machine[S]
	cut func() bool
}

func (f forgetful[S]) Step(state S, in step.Input, out *step.Emitter) (S, error) {
	if f.cut() {
		data, err := f.Encode(state)
		if err != nil {
			return state, err
		}
		if state, err = f.Decode(data); err != nil {
			return state, err
		}
	}
	return f.Machine.Step(state, in, out)
}

// Cut anywhere, kept and read again, a stream leads to the same bytes.
func TestAnyCut(t *testing.T) {
	core, err := machines.New(machines.Options{Rules: rules.Default()})
	require.NoError(t, err)
	cases := single(23)
	proofs.Check(t, 15, func(rt *rapid.T) {
		list := cases[rapid.IntRange(0, len(cases)-1).Draw(rt, "case")].Events
		want := lines(rt, core.Chain(), list)
		cuts := rapid.SliceOfNDistinct(rapid.IntRange(0, 3*len(list)), 1, 9, rapid.ID).Draw(rt, "cuts")
		always, read := rapid.Bool().Draw(rt, "always"), -1
		cut := func() bool { read++; return always || slices.Contains(cuts, read) }
		chain := memory.NewChain(
			memory.NewStage(forgetful[*ingest.State]{core.Ingest, cut}, core.Identity),
			memory.NewStage(forgetful[*evaluate.State]{core.Evaluate, cut}, core.Identity),
			memory.NewStage(forgetful[*dispatch.State]{core.Dispatch, cut}, core.Identity))
		require.Equal(rt, want, lines(rt, chain, list))
	})
}
