package audit

import (
	"fmt"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/bundle"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
)

// appliedStage replays each group of a bundle under the rules in the bundle that it was recorded under
// (AU-12). It returns false if the bundle does not have them.
func appliedStage(r *cli.Call, b *bundle.Bundle, stage string) (result stageReplay, done bool, err error) {
	all, err := parts(b, stage)
	if err != nil || len(all) == 0 {
		return result, false, err
	}
	result.Stage = stage
	for _, part := range all {
		core, err := machines.New(machines.Options{Rules: part.Set(), IdleTimeout: b.Manifest.IdleTimeout})
		if err != nil {
			return result, false, fmt.Errorf("this build does not accept the rules of configuration %s: %w", part.ConfigHash, err)
		}
		id := step.Identity{RulesVersion: part.RulesVersion, ConfigHash: part.ConfigHash}
		got, err := bundleStage(r, b, core, id, stage, func(group string) bool { return part.groups[group] })
		if err != nil {
			return result, false, err
		}
		result.add(got, part, all)
	}
	return result, true, nil
}

// add merges the result of a replay under one configuration.
func (s *stageReplay) add(got stageReplay, under part, all []part) {
	s.Groups, s.Same, s.Seconds = s.Groups+got.Groups, s.Same+got.Same, s.Seconds+got.Seconds
	s.Differences = append(s.Differences, got.Differences...)
	s.Under = append(s.Under, underRules{Rules: under.RulesVersion, Config: under.ConfigHash, Groups: got.Groups})
	for _, o := range got.Other {
		o.From = under.ConfigHash
		o.Changed = "not known"
		if i := slices.IndexFunc(all, func(p part) bool { return p.ConfigHash == o.Config }); i >= 0 {
			if text, err := under.Changes(all[i].Applied, manyChanges); err == nil {
				o.Changed = text
			}
		}
		s.Other = append(s.Other, o)
	}
}
