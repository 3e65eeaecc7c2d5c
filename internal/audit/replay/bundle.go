package replay

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/bundle"
	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/deployment"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// ErrRejected is returned if this build does not accept the rules that were given for a bundle.
var ErrRejected = errors.New("the given rules are not accepted")

// Bundle replays a verified bundle under its own rules, or under the given ones if there are any (AU-11). A
// warning says that what it derives may differ because of the rules.
func Bundle(ctx context.Context, b *bundle.Bundle, given *rules.Set, o Options) (report Report, warning string, err error) {
	set := given
	if given == nil {
		if set, err = b.RuleSet(); err != nil {
			return report, "", err
		}
	}
	core, err := machines.New(machines.Options{Rules: set, IdleTimeout: b.Manifest.IdleTimeout})
	if err != nil && given != nil {
		return report, "", fmt.Errorf("%w: %w", ErrRejected, err)
	}
	if err != nil {
		return report, "", fmt.Errorf("this build does not accept the rules in the bundle: %w", err)
	}
	id, other := recordedUnder(b, set)
	report = newReport(id)
	from, present := record.Bundle(b), deployment.Options{Rules: set}.Applied()
	for _, stage := range bundle.Stages {
		if o.leaves(stage) {
			continue
		}
		var result Stage
		done := false
		if given == nil {
			result, done, err = underItsRules(ctx, b, from, stage)
		}
		if err == nil && !done {
			if other != "" && warning == "" {
				warning = other + "; changed: " + record.Changes(ctx, from, id.ConfigHash, present)
				report.Same = false
			}
			d := derivation{from: from, core: core, id: id, among: func(r engine.Recording) engine.Recording { return r }}
			result, err = d.of(ctx, stage)
			for i := range result.Other {
				result.Other[i].Changed = record.Changes(ctx, from, result.Other[i].Config, present)
			}
		}
		if err != nil {
			return report, warning, fmt.Errorf("replay %s: %w", stage, err)
		}
		report.add(result)
	}
	return report, warning, nil
}

// recordedUnder returns the identity for the derived events. The configuration hash covers the key of the
// fingerprints, which is not in a bundle, so it is taken from the events; the rules' own hash shows whether
// the rules are the same.
func recordedUnder(b *bundle.Bundle, set *rules.Set) (id step.Identity, other string) {
	m := b.Manifest
	last := bundle.Identity{Rules: m.Rules}
	if len(m.Recorded) > 0 {
		last = slices.MaxFunc(m.Recorded, func(x, y bundle.Identity) int { return x.Events - y.Events })
	}
	id = step.Identity{RulesVersion: last.Rules, ConfigHash: last.Config}
	if set.Hash() != m.RulesHash || rules.Version != last.Rules {
		other = fmt.Sprintf("other rules: the bundle was exported under rules %s (hash %.12s) by build %s, this replay has rules %s (hash %.12s); differences may come from them",
			last.Rules, m.RulesHash, m.Build, rules.Version, set.Hash())
	}
	return id, other
}

// underItsRules replays each group of a bundle under the rules in the bundle that it was recorded under
// (AU-12). It returns false if the bundle does not have them.
func underItsRules(ctx context.Context, b *bundle.Bundle, from record.Source, stage string) (result Stage, done bool, err error) {
	all, err := b.Parts(ctx, stage)
	if err != nil || len(all) == 0 {
		return result, false, err
	}
	result.Stage = stage
	for _, part := range all {
		core, err := machines.New(machines.Options{Rules: part.Set(), IdleTimeout: b.Manifest.IdleTimeout})
		if err != nil {
			return result, false, fmt.Errorf("this build does not accept the rules of configuration %s: %w", part.ConfigHash, err)
		}
		d := derivation{
			from: from, core: core, id: step.Identity{RulesVersion: part.RulesVersion, ConfigHash: part.ConfigHash},
			among: func(r engine.Recording) engine.Recording {
				return engine.Among(r, func(group string) bool { return part.Groups[group] })
			},
		}
		got, err := d.of(ctx, stage)
		if err != nil {
			return result, false, err
		}
		result.join(got, part, all)
	}
	return result, true, nil
}

// join adds the result of a replay under one configuration.
func (s *Stage) join(got Stage, under bundle.Part, all []bundle.Part) {
	s.Groups, s.Same, s.Seconds = s.Groups+got.Groups, s.Same+got.Same, s.Seconds+got.Seconds
	s.Differences = append(s.Differences, got.Differences...)
	s.Under = append(s.Under, Under{Rules: under.RulesVersion, Config: under.ConfigHash, Groups: got.Groups})
	for _, o := range got.Other {
		o.From = under.ConfigHash
		o.Changed = "not known"
		if i := slices.IndexFunc(all, func(p bundle.Part) bool { return p.ConfigHash == o.Config }); i >= 0 {
			if text, err := under.Changes(all[i].Applied, record.ManyChanges); err == nil {
				o.Changed = text
			}
		}
		s.Other = append(s.Other, o)
	}
}
