package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/bundle"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// open opens the bundles that the paths name; it returns none if they name transcripts.
func (c *Backtest) open() ([]*bundle.Bundle, error) {
	var all []*bundle.Bundle
	for _, path := range c.Paths {
		if !bundle.Is(path) {
			continue
		}
		b, err := bundle.OpenWhole(path)
		if err != nil {
			return nil, err
		}
		all = append(all, b)
	}
	if len(all) > 0 && len(all) < len(c.Paths) {
		return nil, cli.Usage(errors.New("bundles and transcripts cannot be compared together: name only one kind"))
	}
	return all, nil
}

func (t *trial) close() {
	for _, b := range t.bundles {
		b.Close()
	}
}

// recordedRules returns the rules under which the bundles were recorded.
func recordedRules(all []*bundle.Bundle) (*rules.Set, error) {
	for _, b := range all[1:] {
		if b.Manifest.RulesHash != all[0].Manifest.RulesHash {
			return nil, errors.New("the bundles were exported under different rules: compare them one by one, or name the current rules with --against FILE")
		}
	}
	data, err := all[0].Rules()
	if err != nil || len(data) == 0 {
		return rules.Default(), err
	}
	set, err := rules.Load("the bundle's rules.yaml", data)
	if err != nil {
		return nil, fmt.Errorf("this build does not accept the rules in the bundle (name others with --against FILE): %w", err)
	}
	return set, nil
}

// bundles folds the content of bundles. A session that several of them hold is read from the first.
func (c *Backtest) bundles(f *folding, t *trial) (notes []string, err error) {
	stream := streams[t.from]
	progress := terminal.NewProgress(f.call.Stderr, "folding", inputsOf(t.bundles, stream), false)
	defer progress.Done()
	reads, twice := bundleReads(t, progress)
	for _, r := range reads {
		if err := r.underOtherRules(); err != nil {
			return nil, err
		}
	}
	var joined joining
	err = f.read(func(ctx context.Context, take func(input) error) error {
		for _, r := range reads {
			if err := take(input{}); err != nil {
				return err
			}
			if err := r.all(ctx, &joined, take); err != nil {
				return err
			}
		}
		return nil
	})
	if twice > 0 {
		notes = append(notes, fmt.Sprintf("sessions and runs that are in several bundles and are read from the first: %d", twice))
	}
	if slices.ContainsFunc(t.bundles, func(b *bundle.Bundle) bool { return t.of == nil && b.Manifest.RulesHash != t.sets[0].Hash() }) {
		notes = append(notes, "the bundle was exported under rules other than the current ones, so that its current decisions are not the recorded ones")
	}
	f.source = strings.Join(c.Paths, " ")
	return append(notes, joined.notes()...), err
}

// bundleRead reads one bundle.
type bundleRead struct {
	*bundle.Bundle
	trial    *trial
	mine     map[string]bool // groups that are read from this bundle
	progress *terminal.Progress
}

func bundleReads(t *trial, progress *terminal.Progress) (all []bundleRead, twice int) {
	known := map[string]bool{}
	for _, b := range t.bundles {
		mine := map[string]bool{}
		for _, group := range b.Manifest.Groups {
			mine[group] = !known[group] && (t.of == nil || t.of[group])
			if known[group] {
				twice++
			}
			known[group] = true
		}
		all = append(all, bundleRead{Bundle: b, trial: t, mine: mine, progress: progress})
	}
	return all, twice
}

// underOtherRules finds the groups that were recorded under rules other than the current ones; their record
// is not reused.
func (r bundleRead) underOtherRules() error {
	if r.trial.from != machines.Joined {
		return nil
	}
	return r.Each(events.StreamSignals, func(m proof.Message) error {
		if hash := m.Header.Get("ce-confighash"); hash != "" && hash != r.trial.present.Hash {
			r.trial.whole[cmp.Or(m.Header.Get("ce-partitionkey"), m.Header.Get("ce-subject"))] = true
		}
		return nil
	})
}

// all passes on what the stage wrote whose record is folded.
func (r bundleRead) all(ctx context.Context, joined *joining, take func(input) error) error {
	joint, stop := joints(r.Bundle)
	defer stop()
	return r.Each(streams[r.trial.from], func(m proof.Message) error {
		r.progress.Add(1)
		if m.Header.Get("ce-type") == "" {
			return ctx.Err() // a checkpoint or a record of a skipped input
		}
		e, err := decoded(m)
		if err != nil || !r.mine[e.Group()] {
			return err
		}
		in := input{event: &e, at: m.Time}
		if r.trial.from != machines.Joined {
			return take(in)
		}
		partition, _ := proof.Partition(m.Subject)
		return joined.pass(joint(partition), in, take)
	})
}

// inputsOf counts messages.
func inputsOf(all []*bundle.Bundle, stream events.Stream) (n int64) {
	for _, b := range all {
		for _, file := range b.Manifest.Files {
			if file.Stream == stream {
				n += int64(file.Messages)
			}
		}
	}
	return n
}
