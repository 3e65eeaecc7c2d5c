package pipeline

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// recorded plays INPUT as partitions read it: each group in order, but any group ahead of
// the others. What a group relays is recorded behind everything else.
type recorded struct {
	input  []events.Event
	states map[string]*State
	warned []string
}

// record adds an event of a run, so many seconds after the beginning.
func (r *recorded) record(run string, seconds int, typ events.Type, data any) {
	r.input = append(r.input, events.Event{
		ID: fmt.Sprintf("%s-%d-%s", run, seconds, typ), Type: typ, Subject: run, PartitionKey: run,
		Time: beginning.Add(time.Duration(seconds) * time.Second), Data: data,
	})
}

func (r *recorded) starts(run string, seconds int) {
	r.record(run, seconds, runevents.TypeRunStarted, &runevents.RunStarted{Kind: "pipeline", Workspace: "/srv/shop"})
}

func (r *recorded) resumes(run, prior string, seconds int) {
	r.record(run, seconds, runevents.TypeRunResumed, &runevents.RunResumed{PriorRunID: prior})
}

func (r *recorded) ends(run string, seconds int) {
	r.record(run, seconds, runevents.TypeRunCompleted, &runevents.RunCompleted{Outcome: "success"})
}

// groups are those with something unread.
func (r *recorded) groups() []string {
	var list []string
	for _, e := range r.input {
		if !slices.Contains(list, e.Group()) {
			list = append(list, e.Group())
		}
	}
	return list
}

// read has a group read its next event.
func (r *recorded) read(group string) {
	i := slices.IndexFunc(r.input, func(e events.Event) bool { return e.Group() == group })
	e := r.input[i]
	r.input = slices.Delete(r.input, i, i+1)
	if r.states == nil {
		r.states = map[string]*State{}
	}
	if r.states[group] == nil {
		r.states[group] = &State{}
	}
	c := run.NewContext(step.Input{Event: e})
	loaded.Decide(r.states[group], c)
	for i, said := range c.Conclusions() {
		switch d := said.Data.(type) {
		case *events.TimerSet:
			r.relayed(fmt.Sprintf("%s-%d", e.ID, i), e.Subject, d)
		case *runevents.WarningIssued:
			r.warned = append(r.warned, said.Subject)
		}
	}
}

func (r *recorded) relayed(id, subject string, d *events.TimerSet) {
	r.input = append(r.input, events.Event{
		ID: id, Type: events.TypeTimerExpired, Subject: subject, PartitionKey: d.Group, Time: d.Due,
		Data: &events.TimerExpired{Name: d.Name, Due: d.Due, Details: d.Details},
	})
}

// readAll has groups read until nothing is left; next chooses among those that can.
func (r *recorded) readAll(next func(groups []string) string) []string {
	for groups := r.groups(); len(groups) > 0; groups = r.groups() {
		r.read(next(groups))
	}
	slices.Sort(r.warned)
	return r.warned
}

// lagging lets one group read only where no other can.
func lagging(group string) func([]string) string {
	return func(groups []string) string {
		if groups[0] == group && len(groups) > 1 {
			return groups[1]
		}
		return groups[0]
	}
}

// PL-10: runs of a workspace are in different partitions. That the first one's is behind
// hides no overlap and makes none up.
func TestAnOverlapDoesNotDependOnWhichPartitionIsAhead(t *testing.T) {
	for _, behind := range []string{"", "first", "second"} {
		overlapping := &recorded{}
		overlapping.starts("first", 0)
		overlapping.starts("second", 60)
		overlapping.ends("first", 120)
		overlapping.ends("second", 180)
		require.Equal(t, []string{"second"}, overlapping.readAll(lagging(behind)), "%s is behind", behind)

		apart := &recorded{}
		apart.starts("first", 0)
		apart.ends("first", 60)
		apart.starts("second", 120)
		apart.ends("second", 180)
		require.Empty(t, apart.readAll(lagging(behind)), "%s is behind", behind)

		resumed := &recorded{}
		resumed.starts("first", 0)
		resumed.resumes("second", "first", 60)
		resumed.starts("second", 60)
		require.Empty(t, resumed.readAll(lagging(behind)), "%s is behind", behind)
	}
}

// PL-10: each run that begins while another is in progress is warned of once, whichever
// partitions are ahead.
func TestAnyOrderOfNewsFindsTheSameOverlaps(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := &recorded{}
		var active, want []string
		for i := range rapid.IntRange(2, 9).Draw(rt, "events") {
			if run := rapid.SampledFrom([]string{"a", "b", "c", "d", "e"}).Draw(rt, "run"); slices.Contains(active, run) {
				r.ends(run, i)
				active = slices.DeleteFunc(active, func(other string) bool { return other == run })
			} else if !slices.ContainsFunc(r.input, func(e events.Event) bool { return e.Subject == run }) {
				r.starts(run, i)
				if len(active) > 0 {
					want = append(want, run)
				}
				active = append(active, run)
			}
		}
		slices.Sort(want)
		got := r.readAll(func(groups []string) string { return rapid.SampledFrom(groups).Draw(rt, "next") })
		require.Equal(rt, want, got)
	})
}
