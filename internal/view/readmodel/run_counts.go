package readmodel

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Kinds of names that runs choose.
const (
	kindProject = "project"
	kindOutcome = "outcome"
	kindGate    = "gate"
	kindRule    = "rule"
)

// runCounter is a row of run_daily.
type runCounter struct{ day, project, topic, name, what string }

// countRuns adds to figures or subtracts from them; they are written with the batch.
// A day that was dropped counts no more.
func (b runRows) countRuns(figures map[runCounter]int64, sign int64) {
	for c, n := range figures {
		if b.names[[2]string{kindDay, c.day}] {
			b.runDaily[c] += sign * n
		}
	}
}

// countRun adds one to a figure of today that is never subtracted again.
func (b runRows) countRun(r *run, topic, name, what string) {
	b.countRuns(map[runCounter]int64{{b.dayNow(), r.project, topic, name, what}: 1}, 1)
}

// tally is what a run stands for in the counts. It is a function of the run's
// folds, so that what changes later (a verdict, an outcome) moves.
func (b runRows) tally(r *run) (err error) {
	one := &r.listed.Run
	r.counted = map[runCounter]int64{}
	if r.project, err = b.named(kindProject, one.Of()); err != nil {
		return err
	}
	add := func(day, topic, name, what string) { r.counted[runCounter{day, r.project, topic, name, what}]++ }
	if one.LastType != "" { // else a session that was broken off, or the group of a project
		add(r.day, "run", "", "runs")
		add(r.day, "state", one.Standing(), "runs")
		if one.Outcome != "" {
			outcome, err := b.named(kindOutcome, strings.ToLower(strings.TrimSpace(one.Outcome)))
			if err != nil {
				return err
			}
			add(r.day, "outcome", outcome, "runs")
		}
	}
	for i := range r.after.Breaks {
		k := &r.after.Breaks[i]
		day, trigger := dayOf(k.Time), short(string(k.Trigger))
		add(day, "break", trigger, short(string(k.Kind)))
		add(day, "break", trigger, short(string(k.Verdict)))
		if k.Resumed {
			add(day, "break", trigger, "resumed")
		}
	}
	for i := range r.after.Corrections {
		c := &r.after.Corrections[i]
		add(dayOf(c.Time), "correction", short(string(c.Action)), "issued")
		add(dayOf(c.Time), "correction", short(string(c.Action)), r.after.Helped(c))
	}
	return nil
}

// named is a name as it is counted, "" for none.
func (b runRows) named(kind, name string) (string, error) {
	if name == "" {
		return "", nil
	}
	return b.name(kind, name)
}

// answered counts what a gate answered, and what was held against a rule.
func (b runRows) answered(r *run, ev events.Event) error {
	switch d := ev.Data.(type) {
	case *runevents.GateDecided:
		gate, err := b.named(kindGate, string(d.Gate))
		if err != nil {
			return err
		}
		b.countRun(r, "gate", gate, short(string(d.Decision)))
		if d.Ahead {
			b.countRun(r, "gate", gate, "ahead")
		}
	case *runevents.ViolationDetected:
		return b.rule(r, runevents.Judgement(*d), "violations")
	case *runevents.WarningIssued:
		return b.rule(r, runevents.Judgement(*d), "warnings")
	case *runevents.RunEvaluated:
		b.countRun(r, "run", "", "events")
		if d.Failed != "" {
			b.countRun(r, "run", "", "failed")
		}
		if d.Failed != "" && d.EventType == runevents.TypeGateRequested {
			b.countRun(r, "gate", "", "unanswered")
		}
	}
	return nil
}

// rule counts by rule and code, a line break apart: neither holds one.
func (b runRows) rule(r *run, d runevents.Judgement, what string) error {
	name, err := b.named(kindRule, strings.ReplaceAll(d.Rule, "\n", " ")+"\n"+strings.ReplaceAll(d.Code, "\n", " "))
	if err == nil {
		b.countRun(r, "rule", name, what)
	}
	return err
}

// writeRunCounts adds what was counted; a count that came to nothing leaves no row.
func (b runRows) writeRunCounts() error {
	for _, c := range slices.SortedFunc(maps.Keys(b.runDaily), compareRunCounters) {
		n := b.runDaily[c]
		if n == 0 {
			continue
		}
		var count int64
		err := b.scan("INSERT INTO run_daily VALUES (?,?,?,?,?,?) ON CONFLICT DO UPDATE SET count = count + excluded.count RETURNING count",
			[]any{c.day, c.project, c.topic, c.name, c.what, n}, &count)
		if err == nil && count == 0 {
			err = b.run("DELETE FROM run_daily WHERE day = ? AND project = ? AND topic = ? AND name = ? AND what = ?", c.day, c.project, c.topic, c.name, c.what)
		}
		if err != nil {
			return fmt.Errorf("count %s of %s %s: %w", c.what, c.topic, c.name, err)
		}
	}
	clear(b.runDaily)
	return nil
}

func compareRunCounters(a, b runCounter) int {
	return cmp.Or(strings.Compare(a.day, b.day), strings.Compare(a.project, b.project), strings.Compare(a.topic, b.topic), strings.Compare(a.name, b.name), strings.Compare(a.what, b.what))
}
