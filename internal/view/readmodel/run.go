package readmodel

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runlist"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runreport"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// run is a row of runs being folded: the folds about it, and what they have added
// to the counts.
type run struct {
	id, project, day string
	sequence, bytes  int64
	listed           runlist.State
	after            after
	listedText       string // the folds as they are stored
	afterText        string
	counted          map[runCounter]int64
}

// runSize is what a row of runs counts for beside its folds, in bytes.
const runSize = 300

// runRows folds what events say about runs: their rows, figures and what waits for a person.
type runRows struct{ *batch }

// ofRuns folds an event into the run whose place it changes, and into the one that it is
// about, which the group of a project may report on (RW-15).
func (b runRows) ofRuns(ev events.Event) error {
	if ev.Data == nil || !aboutRuns(ev) {
		return nil
	}
	ev.Time = b.storable(ev.Time)
	group, about := runlist.Changes(ev), runlist.RunOf(ev)
	r, err := b.runOf(group)
	if err != nil {
		return err
	}
	if r == nil && runlist.Begins(ev) {
		session, err := b.known(group)
		if err != nil {
			return err
		}
		if session != nil && runlist.OfSubagents(ev) {
			return nil
		}
		r = b.beginRun(group)
	}
	if r != nil && !(ev.Type == sessionevents.TypeTurnEvaluated && len(r.after.Corrections) == 0) {
		if err := b.change(r, ev, true, about == group); err != nil {
			return err
		}
	}
	if about == group {
		return nil
	}
	if r, err = b.runOf(about); err != nil || r == nil {
		return err
	}
	return b.change(r, ev, false, true)
}

// aboutRuns reports whether an event can concern a run, not only a session.
func aboutRuns(ev events.Event) bool {
	switch d := ev.Data.(type) {
	case *sessionevents.Disposition, *sessionevents.InterruptQueued, *sessionevents.InterruptFired, *sessionevents.InterruptDelivery, *sessionevents.BudgetExhausted, *sessionevents.SessionOpened,
		*sessionevents.InputRefused:
		return false
	case *sessionevents.Signal:
		return d.Layer != sessionevents.LayerSession && d.Layer != ""
	}
	return true
}

// storable is a time that JSON can hold: publishers choose theirs.
func (b runRows) storable(t time.Time) time.Time {
	switch {
	case t.IsZero():
		return instant(b.now)
	case t.Year() < 1970 || t.Year() > 9999:
		return time.Unix(0, 0).UTC()
	}
	return t
}

// change folds an event into a run and counts what differs from before.
func (b runRows) change(r *run, ev events.Event, listed, after bool) error {
	if r.counted == nil { // it was read from its row
		if err := b.tally(r); err != nil {
			return err
		}
	}
	before := r.counted
	waited := waiting(&r.listed)
	if listed {
		r.listed.Apply(ev)
	}
	if after {
		r.after.apply(ev)
	}
	r.sequence = int64(b.position.Sequence)
	if err := b.tally(r); err != nil {
		return err
	}
	b.countRuns(before, -1)
	b.countRuns(r.counted, 1)
	if listed {
		if err := b.waits(r, ev, waited); err != nil {
			return err
		}
		if err := b.answered(r, ev); err != nil {
			return err
		}
	}
	return b.measure(r)
}

// measure brings the stored form up to date, and the room that it takes.
func (b runRows) measure(r *run) error {
	listed, err := json.Marshal(r.listed)
	if err != nil {
		return fmt.Errorf("store how run %s stands: %w", r.id, err)
	}
	after, err := json.Marshal(r.after)
	if err != nil {
		return fmt.Errorf("store the result of run %s: %w", r.id, err)
	}
	b.growRun(r, int64(len(listed)-len(r.listedText)+len(after)-len(r.afterText)))
	r.listedText, r.afterText = string(listed), string(after)
	return nil
}

func (b runRows) growRun(r *run, size int64) {
	r.bytes += size
	b.position.Bytes += size
}

func (b runRows) beginRun(id string) *run {
	r := &run{id: id, day: b.dayNow(), listed: runlist.Begin(id), counted: map[runCounter]int64{}}
	b.runs[id] = r
	b.growRun(r, runSize)
	return r
}

// runOf is a run that has a row, else nil; that there is none is remembered, too.
func (b runRows) runOf(id string) (*run, error) {
	if r, known := b.runs[id]; known {
		return r, nil
	}
	r := &run{id: id}
	err := b.scan("SELECT day, last_sequence, listed, after, bytes FROM runs WHERE id = ?", []any{id}, &r.day, &r.sequence, &r.listedText, &r.afterText, &r.bytes)
	if errors.Is(err, sql.ErrNoRows) {
		b.runs[id] = nil
		return nil, nil
	}
	err = errors.Join(err, json.Unmarshal([]byte(r.listedText), &r.listed), json.Unmarshal([]byte(r.afterText), &r.after))
	if err != nil {
		return nil, fmt.Errorf("read run %s: %w", id, err)
	}
	b.runs[id] = r
	return r, nil
}

func (b runRows) writeRuns() error {
	for _, id := range sorted(b.runs) {
		r := b.runs[id]
		if r == nil {
			continue
		}
		one := &r.listed.Run
		err := b.run("INSERT OR REPLACE INTO runs VALUES (?,?,?,?,?,?,?,?,?,?,?)", id, short(one.Of()), r.day, one.Standing(), short(one.Outcome),
			one.Waits(), micros(one.Last), r.sequence, r.listedText, r.afterText, r.bytes)
		if err != nil {
			return fmt.Errorf("write run %s: %w", id, err)
		}
	}
	return nil
}

// dropRun removes a run's rows.
func (b runRows) dropRun(id string, bytes int64) error {
	for _, query := range []string{"DELETE FROM waits WHERE run = ?", "DELETE FROM runs WHERE id = ?"} {
		if err := b.run(query, id); err != nil {
			return fmt.Errorf("drop run %s: %w", id, err)
		}
	}
	b.position.Bytes -= bytes
	return nil
}

// halveRun drops the earlier half of what waits no longer.
func (b runRows) halveRun(id string) (bool, error) {
	const which = " FROM waits WHERE run = ?1 AND ended > 0 AND sequence <= (SELECT (min(sequence) + max(sequence)) / 2 FROM waits WHERE run = ?1 AND ended > 0)"
	var gone int64
	if err := b.scan("SELECT coalesce(sum(size), 0)"+which, []any{id}, &gone); err != nil {
		return false, fmt.Errorf("measure what waited in run %s: %w", id, err)
	}
	if err := b.run("DELETE"+which, id); err != nil {
		return false, fmt.Errorf("drop what waited in run %s: %w", id, err)
	}
	b.position.Bytes -= gone
	if err := b.run("UPDATE runs SET bytes = bytes - ? WHERE id = ?", gone, id); err != nil {
		return false, fmt.Errorf("cut run %s: %w", id, err)
	}
	return gone > 0, nil
}

// maxEntries bounds each list of what is kept of one run's breaks and corrections.
const maxEntries = 100

// after is the outcome of a run's breaks and corrective actions.
type after struct {
	Breaks []broke `json:"breaks,omitempty"`
	runreport.Remedies
}

// broke is a break, and whether it was warranted (RW-32).
type broke struct {
	ID      string                   `json:"id"`
	Time    time.Time                `json:"time"`
	Kind    runevents.BreakKind      `json:"kind"`
	Trigger runevents.BreakTrigger   `json:"trigger"`
	Resumed bool                     `json:"resumed,omitempty"`
	Verdict runevents.WarrantVerdict `json:"verdict"`
}

// apply folds one event that is about the run.
func (a *after) apply(ev events.Event) {
	a.Remedies.Apply(maxEntries, ev)
	switch d := ev.Data.(type) {
	case *runevents.WiggumBreak:
		if len(a.Breaks) < maxEntries {
			a.Breaks = append(a.Breaks, broke{ID: ev.ID, Time: ev.Time.UTC(), Kind: d.Kind, Trigger: d.Trigger, Verdict: runevents.Unclear})
		}
	case *runevents.RunJudged:
		for i := range d.Breaks {
			a.judged(&d.Breaks[i])
		}
	}
}

func (a *after) judged(d *runevents.BreakJudged) {
	i := slices.IndexFunc(a.Breaks, func(b broke) bool { return b.ID == d.Break })
	if i >= 0 {
		a.Breaks[i].Resumed, a.Breaks[i].Verdict = d.Resumed != nil, d.Warrant.Verdict
	}
}
