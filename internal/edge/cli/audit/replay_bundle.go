package audit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/bundle"
	"github.com/scaffoldwatch/scaffoldwatch/internal/buildinfo"
	"github.com/scaffoldwatch/scaffoldwatch/internal/deployment"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// bundle replays a bundle under its own rules, or the given ones (AU-11).
func (c *Replay) bundle(r *cli.Call) error {
	if c.Stage == "ingest" {
		return cli.Usage(errors.New("a bundle has no raw input: --stage ingest requires a running system"))
	}
	b, err := bundle.OpenWhole(c.Group)
	if err != nil {
		return err
	}
	defer b.Close()
	if c.Under != "" {
		return cli.Usage(errors.New("--under requires a running system: a bundle is replayed under its own rules"))
	}
	set, err := c.rulesOf(b)
	if err != nil {
		return err
	}
	core, err := machines.New(machines.Options{Rules: set, IdleTimeout: b.Manifest.IdleTimeout})
	if err != nil && c.Rules != "" {
		return cli.Usage(err)
	}
	if err != nil {
		return fmt.Errorf("this build does not accept the rules in the bundle: %w", err)
	}
	id, other := recordedUnder(b, set)
	report := replayReport{Same: true, Build: buildinfo.Current(), Rules: id.RulesVersion, Config: id.ConfigHash}
	said := other == ""
	for _, stage := range bundle.Stages {
		if c.Stage != "all" && c.Stage != stage {
			continue
		}
		result, done, err := stageReplay{}, false, error(nil)
		if c.Rules == "" {
			result, done, err = appliedStage(r, b, stage)
		}
		if err == nil && !done {
			if !said {
				fmt.Fprintf(r.Stderr, "%s; changed: %s\n", other, terminal.Clean(changes(b, set, id.ConfigHash)))
				said, report.Same = true, false
			}
			result, err = bundleStage(r, b, core, id, stage, func(string) bool { return true })
		}
		if err != nil {
			return fmt.Errorf("replay %s: %w", stage, err)
		}
		if !done {
			changedFrom(b, set, result.Other)
		}
		report.Stages = append(report.Stages, result)
		report.Same = report.Same && len(result.Differences) == 0 && len(result.Other) == 0
	}
	return c.finish(r, report)
}

// rulesOf returns the rules under which a bundle was recorded, as far as it has them.
func (c *Replay) rulesOf(b *bundle.Bundle) (*rules.Set, error) {
	if c.Rules != "" {
		set, err := deployment.LoadRules(c.Rules)
		if err != nil {
			return nil, cli.Usage(err)
		}
		return set, nil
	}
	data, err := b.Rules()
	if err != nil || data == nil {
		return rules.Default(), err
	}
	set, err := rules.Load("the bundle's rules.yaml", data)
	if err != nil {
		return nil, fmt.Errorf("this build does not accept the rules in the bundle: %w", err)
	}
	return set, nil
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

func bundleStage(ctx context.Context, b *bundle.Bundle, core *machines.Core, id step.Identity, stage string, of func(group string) bool) (result stageReplay, err error) {
	result.Stage = stage
	recording, err := b.RecordingOf(stage, of)
	if err != nil {
		return result, err
	}
	o := engine.Options{Partitions: b.Manifest.Partitions, StepBudget: engine.NoBudget}
	began := time.Now()
	var got engine.Rederived
	again := func() (engine.Recording, error) { return b.RecordingOf(stage, of) }
	if stage == core.Evaluate.Stage() {
		if got, err = engine.Rederive(ctx, core.Evaluate, id, recording, nil, o); err == nil {
			err = statesBefore(ctx, core.Evaluate, id, again, got.First, o)
		}
	} else if got, err = engine.Rederive(ctx, core.Dispatch, id, recording, nil, o); err == nil {
		err = statesBefore(ctx, core.Dispatch, id, again, got.First, o)
	}
	result.fill(got, time.Since(began))
	return result, err
}
