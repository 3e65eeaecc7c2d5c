package audit

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/bundle"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
)

// foldAll folds the source. The content of bundles is compared with the rules under which each session was
// recorded, if the bundles have them (AU-12).
func (c *Backtest) foldAll(f *folding, t *trial) (notes []string, err error) {
	trials, err := c.divided(t)
	if err != nil {
		return nil, err
	}
	folded := f.workers
	compared := f.comparison
	for i, of := range trials {
		f.workers, f.comparison = nil, nil
		of.whole = map[string]bool{}
		if err := c.workers(f, of); err != nil {
			return nil, cli.Usage(err)
		}
		f.turn = turns[of.from]
		found, err := c.fold(f, of)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			notes = found
		}
		folded, compared = append(folded, f.workers...), append(compared, f.comparison...)
	}
	f.workers, f.comparison = folded, compared
	if len(trials) > 1 {
		*t = *trials[0]
		for _, of := range trials[1:] {
			notes = append(notes, fmt.Sprintf("sessions and runs recorded under configuration %s, which are compared with its rules: %d", of.present.Hash, len(of.of)))
		}
	}
	return notes, nil
}

// divided returns one trial for each configuration under which the bundles were recorded, the most frequent
// first; it returns the trial itself if something else is compared or a bundle does not hold the rules.
func (c *Backtest) divided(t *trial) ([]*trial, error) {
	if len(t.bundles) == 0 || c.Against != "" {
		return []*trial{t}, nil
	}
	known := map[string]*trial{}
	var all []*trial
	for _, b := range t.bundles {
		decided, err := parts(b, bundle.Stages[len(bundle.Stages)-1])
		if err != nil {
			return nil, err
		}
		if len(decided) == 0 {
			return []*trial{t}, nil
		}
		for _, part := range decided {
			of := known[part.ConfigHash]
			if of == nil {
				copied := *t
				of = &copied
				of.of = map[string]bool{}
				tried := cmp.Or(c.Rules, t.settings.Rules)
				if err := c.compared(of, part.Set(), tried); err != nil {
					return nil, cli.Usage(err)
				}
				of.present.Hash, of.present.Version = part.ConfigHash, part.RulesVersion
				known[part.ConfigHash], all = of, append(all, of)
			}
			for group := range part.groups {
				of.of[group] = true
			}
		}
	}
	slices.SortStableFunc(all, func(x, y *trial) int { return cmp.Compare(len(y.of), len(x.of)) })
	*t = *all[0]
	return all, nil
}
