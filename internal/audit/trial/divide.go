package trial

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/backtest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/bundle"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Folding passes inputs to the variants and their decisions to the comparison.
type Folding struct {
	trial      *Trial
	workers    []*machines.Variants
	comparison []*backtest.Comparison // one for each worker
	turn       events.Type            // the type that the rate counts
	began      map[string]bool        // whether a group began in time
	before     int                    // number of groups that began before
}

// Feed reads a source and passes it to a folding, in the form in which the stage [Trial.From] wrote it. It
// returns what could not be compared.
type Feed func(ctx context.Context, f *Folding, t *Trial) (notes []string, err error)

// Fold folds a source under all rules. The content of bundles is compared with the rules under which each
// session was recorded, if the bundles have them (AU-12). It returns the comparison with notes on what was not
// compared.
func (t *Trial) Fold(ctx context.Context, feed Feed) (*backtest.Comparison, []string, error) {
	trials, err := t.divided(ctx)
	if err != nil {
		return nil, nil, err
	}
	f := &Folding{began: map[string]bool{}}
	var folded []*machines.Variants
	var compared []*backtest.Comparison
	var notes []string
	for i, of := range trials {
		f.trial, f.workers, f.comparison = of, nil, nil
		of.whole = map[string]bool{}
		if err := f.build(); err != nil {
			return nil, nil, err
		}
		f.turn = turns[of.from]
		found, err := feed(ctx, f, of)
		if err != nil {
			return nil, nil, err
		}
		if i == 0 {
			notes = found
		}
		folded, compared = append(folded, f.workers...), append(compared, f.comparison...)
	}
	f.workers = folded
	if len(trials) > 1 {
		*t = *trials[0]
		for _, of := range trials[1:] {
			notes = append(notes, fmt.Sprintf("sessions and runs recorded under configuration %s, which are compared with its rules: %d", of.present.Hash, len(of.of)))
		}
	}
	for _, other := range compared[1:] {
		compared[0].Join(other)
	}
	return compared[0], append(notes, f.notes()...), nil
}

// build builds the machines once, and for each core states and a comparison.
func (f *Folding) build() error {
	t := f.trial
	for range runtime.GOMAXPROCS(0) {
		comparison := backtest.New(backtest.Options{Sides: len(t.sets), Only: t.Only, Totals: len(t.sets) > 2})
		f.comparison = append(f.comparison, comparison)
		if len(f.workers) > 0 {
			f.workers = append(f.workers, f.workers[0].Another(comparison.As))
			continue
		}
		o := t.Deployed
		o.Rules = nil
		variants, err := machines.NewVariants(machines.VariantOptions{
			Options: o, Rules: t.sets, From: t.reads(), Bounds: t.Limits.bounds, As: comparison.As, Whole: t.whole,
		})
		if err != nil {
			return Refused{t.refusedPoint(err)}
		}
		t.from = variants.From()
		f.workers = append(f.workers, variants)
	}
	return nil
}

// reads returns the stage whose record is folded. If only the dispatcher would decide differently, the
// evaluator's record is used instead of being derived again; if only some detectors would, its record of
// the others.
func (t *Trial) reads() string {
	switch {
	case t.Transcripts:
		return ""
	case machines.Sharable(t.sets):
		return "evaluator"
	}
	return machines.Joined
}

// divided returns one trial for each configuration under which the bundles were recorded, the most frequent
// first; it returns the trial itself if something else is compared or a bundle does not hold the rules.
func (t *Trial) divided(ctx context.Context) ([]*Trial, error) {
	if len(t.Bundles) == 0 || t.Against != nil {
		return []*Trial{t}, nil
	}
	known := map[string]*Trial{}
	var all []*Trial
	for _, b := range t.Bundles {
		decided, err := b.Parts(ctx, bundle.Stages[len(bundle.Stages)-1])
		if err != nil {
			return nil, err
		}
		if len(decided) == 0 {
			return []*Trial{t}, nil
		}
		for _, part := range decided {
			of := known[part.ConfigHash]
			if of == nil {
				copied := *t
				of = &copied
				of.of = map[string]bool{}
				is := t.Given
				if is == nil {
					is = part.Set()
				}
				if err := of.compare(part.Set(), is); err != nil {
					return nil, err
				}
				of.present.Hash, of.present.Version = part.ConfigHash, part.RulesVersion
				known[part.ConfigHash], all = of, append(all, of)
			}
			for group := range part.Groups {
				of.of[group] = true
			}
		}
	}
	slices.SortStableFunc(all, func(x, y *Trial) int { return cmp.Compare(len(y.of), len(x.of)) })
	*t = *all[0]
	return all, nil
}
