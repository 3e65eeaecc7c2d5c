package run

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Add folds a later event of the same run: entries with a known key replace the earlier
// ones, others are appended. The cycle is the latest one.
func (d *RunJudged) Add(later *RunJudged) {
	d.Breaks = replaced(d.Breaks, later.Breaks, func(a, b *BreakJudged) bool { return a.Break == b.Break })
	d.Degradations = replaced(d.Degradations, later.Degradations, func(a, b *Degradation) bool { return a.Event == b.Event })
	d.Leftovers = append(d.Leftovers, later.Leftovers...)
	d.Evaluations = append(d.Evaluations, later.Evaluations...)
	d.ScopeChecks = append(d.ScopeChecks, later.ScopeChecks...)
	d.Conformance = extended(d.Conformance, later.Conformance)
	d.RulesBroken = extended(d.RulesBroken, later.RulesBroken)
	slices.SortStableFunc(d.RulesBroken, byRule)
	if later.Cycle != nil {
		d.Cycle = later.Cycle
	}
	if later.Isolation != nil {
		d.Isolation = d.Isolation.with(later.Isolation)
	}
	if later.Calibration != nil {
		d.Calibration = d.Calibration.with(later.Calibration)
	}
}

// replaced returns the list with each later entry in place of the one with the same key.
func replaced[T any](list, later []T, same func(a, b *T) bool) []T {
	for i := range later {
		at := slices.IndexFunc(list, func(one T) bool { return same(&one, &later[i]) })
		if at < 0 {
			list = append(list, later[i])
		} else {
			list[at] = later[i]
		}
	}
	return list
}

// extended replaces clauses by id and keeps the events of both.
func extended(list, later []Clause) []Clause {
	for _, c := range later {
		at := slices.IndexFunc(list, func(known Clause) bool { return known.ID == c.ID })
		if at < 0 {
			list = append(list, c)
			continue
		}
		c.Events = slices.Concat(list[at].Events, c.Events)
		list[at] = c
	}
	return list
}

// byRule orders clauses by the number in their id, those of the wave protocol first.
func byRule(a, b Clause) int {
	kindA, textA, _ := strings.Cut(a.ID, "-")
	kindB, textB, _ := strings.Cut(b.ID, "-")
	numberA, _ := strconv.Atoi(textA) // 0 for an id without a number
	numberB, _ := strconv.Atoi(textB)
	return cmp.Or(-cmp.Compare(kindA, kindB), cmp.Compare(numberA, numberB))
}

func (d *IsolationJudged) with(later *IsolationJudged) *IsolationJudged {
	if d == nil {
		d = &IsolationJudged{}
	}
	d.Layers = replaced(d.Layers, later.Layers, func(a, b *IsolationLayer) bool { return a.Layer == b.Layer })
	d.Incidents = replaced(d.Incidents, later.Incidents, func(a, b *IsolationIncident) bool { return a.Number == b.Number })
	d.Tainted = replaced(d.Tainted, later.Tainted, func(a, b *int) bool { return *a == *b })
	return d
}

func (d *Calibration) with(later *Calibration) *Calibration {
	if d == nil {
		d = &Calibration{}
	}
	return &Calibration{Tally: later.Tally, Entries: append(d.Entries, later.Entries...), Misread: append(d.Misread, later.Misread...)}
}
