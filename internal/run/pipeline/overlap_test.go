package pipeline

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
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
	asked  int // questions
	bytes  int // of messages
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
	if strings.HasPrefix(d.Name, overlapTimer) {
		r.asked++
	}
	r.bytes += len(d.Details)
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
		for i := range rapid.IntRange(2, 14).Draw(rt, "events") {
			if run := rapid.SampledFrom([]string{"a", "b", "c", "d", "e"}).Draw(rt, "run"); slices.Contains(active, run) {
				r.ends(run, i)
				active = slices.DeleteFunc(active, func(other string) bool { return other == run })
			} else { // perhaps again
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

// only lets groups read until none of them can.
func (r *recorded) only(groups ...string) {
	for {
		i := slices.IndexFunc(r.groups(), func(group string) bool { return slices.Contains(groups, group) })
		if i < 0 {
			return
		}
		r.read(r.groups()[i])
	}
}

var shop = run.GroupOf("workspace", "/srv/shop")

// PL-10: a run that ended and began again since, or is said to have ended twice, was not in
// progress between.
func TestARunThatIsAskedLateSpeaksOfThatTime(t *testing.T) {
	for name, since := range map[string]func(*recorded){
		"began again": func(r *recorded) { r.starts("first", 180) },
		"twice":       func(r *recorded) { r.starts("first", 180); r.ends("first", 200); r.starts("first", 220) },
		"ended again": func(r *recorded) { r.ends("first", 180) },
	} {
		r := &recorded{}
		r.starts("first", 0)
		r.read("first")
		r.ends("first", 60)
		r.starts("second", 120)
		r.ends("second", 150)
		since(r)
		r.only("second", shop) // the end of first is not known here
		require.Empty(t, r.readAll(lagging("")), name)
	}
}

// PL-10: an answer about the first time of a run does not use up the warning of its second.
func TestALateAnswerIsAboutTheRunThatWasAskedAbout(t *testing.T) {
	r := &recorded{}
	r.starts("first", 0)
	r.starts("second", 60)
	r.ends("second", 90)
	r.starts("second", 120)
	require.Equal(t, []string{"second", "second"}, r.readAll(lagging("first")))
}

// PL-10: two messages of one event can come in either order.
func TestAResumeThatIsHeardAfterTheStartIsNoOverlap(t *testing.T) {
	r := &recorded{}
	r.starts("first", 0)
	r.resumes("second", "first", 60)
	r.starts("second", 60)
	r.only("first", shop, "second")
	require.Empty(t, r.warned)

	r = &recorded{}
	r.starts("first", 0)
	r.only("first", shop)
	r.resumes("second", "first", 60)
	r.starts("second", 60)
	r.read("second")
	r.read("second")
	slices.Reverse(r.input)
	require.Empty(t, r.readAll(lagging("")))
}

// PL-10: of runs that begin at once one is warned of, always the same.
func TestRunsThatBeginAtOnce(t *testing.T) {
	for _, behind := range []string{"first", "second"} {
		r := &recorded{}
		r.starts("first", 0)
		r.starts("second", 0)
		require.Equal(t, []string{"second"}, r.readAll(lagging(behind)), "%s is behind", behind)
	}
}

// PL-10: a wrong clock neither hides the overlap of others nor makes one up.
func TestAWrongClockConcernsItsOwnRun(t *testing.T) {
	for _, years := range []int{-50, 50} {
		r := &recorded{}
		r.starts("first", 0)
		r.starts("wrong", years*365*24*3600)
		r.starts("second", 60)
		require.Equal(t, []string{"second"}, r.readAll(lagging("")), "%d years", years)
	}
}

// PL-10: what a start costs does not grow with the square of the runs that never ended.
func TestManyRunsInProgressAreNotAllAsked(t *testing.T) {
	r := &recorded{}
	for i := range 200 {
		r.starts(fmt.Sprintf("run-%03d", i), i)
		r.readAll(lagging(""))
	}
	require.Len(t, r.warned, 199)
	require.LessOrEqual(t, r.asked, 200*mostMet)
	require.Less(t, r.bytes/200, 128<<10)
	require.Less(t, len(r.states[shop].Workspace.Active), 65)
}

// AU-40, PL-10: a run that was erased is asked like one that nobody knows: it is passed
// over, and nothing of it comes back.
func TestAnErasedRunThatIsAskedStaysErased(t *testing.T) {
	r := &recorded{}
	r.starts("first", 0)
	r.starts("second", 60)
	r.only("first", "second")
	r.read(shop)
	r.read(shop)
	r.states["first"] = &State{}
	require.Empty(t, r.readAll(lagging("")))
	require.Equal(t, &State{}, r.states["first"])

	r.starts("third", 120)
	require.Equal(t, []string{"third"}, r.readAll(lagging("")))
	require.Equal(t, &State{}, r.states["first"])
}

// PL-10: a run that ended at the moment it began was beside none.
func TestRunsOfOneMomentAreApart(t *testing.T) {
	for _, names := range [][]string{{"a", "b"}, {"b", "a"}} {
		r := &recorded{}
		for _, name := range names {
			r.starts(name, 0)
			r.only("a", "b", shop)
			r.ends(name, 0)
			r.only("a", "b", shop)
		}
		require.Empty(t, r.readAll(lagging("")), "%v", names)
	}
}

// EV-3, PL-10: a question that no workspace can have asked, such as a forged one, is dropped.
func TestAQuestionToTooManyRunsIsDropped(t *testing.T) {
	for many, want := range map[int]int{2 * loaded.Kept.WorkspaceRuns: 1, 2*loaded.Kept.WorkspaceRuns + 1: 0} {
		question := overlap{Run: "new", Event: "e", Space: shop, Ask: slices.Repeat([]RunRef{{Run: "one", Event: "e1"}}, many)}
		details, err := json.Marshal(question)
		require.NoError(t, err)
		c := run.NewContext(step.Input{Event: events.Event{
			ID: "t", Type: events.TypeTimerExpired, Subject: "one", PartitionKey: "one", Time: beginning,
			Data: &events.TimerExpired{Name: overlapTimer + ".x", Details: details},
		}})
		loaded.Decide(&State{}, c)
		require.Len(t, c.Conclusions(), want, "%d", many)
	}
}
