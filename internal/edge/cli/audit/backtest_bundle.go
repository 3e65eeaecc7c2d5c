package audit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/bundle"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// open opens the bundles that the paths name; none if they name transcripts.
func (c *Backtest) open() ([]*bundle.Bundle, error) {
	var all []*bundle.Bundle
	for _, path := range c.Paths {
		if !bundle.Is(path) {
			continue
		}
		b, err := bundle.Open(path)
		if err != nil {
			return nil, err
		}
		all = append(all, b)
	}
	if len(all) > 0 && len(all) < len(c.Paths) {
		return nil, cli.Usage(errors.New("bundles and transcripts are compared apart: name one kind"))
	}
	return all, nil
}

// recordedRules are the rules that bundles were recorded under.
func recordedRules(all []*bundle.Bundle) (*rules.Set, error) {
	for _, b := range all[1:] {
		if b.Manifest.RulesHash != all[0].Manifest.RulesHash {
			return nil, errors.New("the bundles were exported under different rules: compare them one by one, or name the present rules with --against FILE")
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

// bundles folds what bundles hold. A session that several of them hold is read from the first.
func (c *Backtest) bundles(f *folding, t *trial) (notes []string, err error) {
	stream := streams[t.from]
	progress := terminal.NewProgress(f.call.Stderr, "folding", inputsOf(t.bundles, stream), false)
	defer progress.Done()
	known := map[string]bool{}
	twice := 0
	err = f.read(func(ctx context.Context, take func(input) error) error {
		for _, b := range t.bundles {
			mine := map[string]bool{}
			for _, group := range b.Manifest.Groups {
				mine[group] = !known[group]
				if known[group] {
					twice++
				}
				known[group] = true
				mine[group] = mine[group] && (t.of == nil || t.of[group])
			}
			if err := take(input{}); err != nil {
				return err
			}
			err := b.Each(stream, func(m proof.Message) error {
				progress.Add(1)
				if m.Header.Get("ce-type") == "" {
					return ctx.Err() // a checkpoint or a record of a skipped input
				}
				e, err := events.DecodeMessage(m.Header, m.Data)
				if err != nil {
					return fmt.Errorf("decode message %d of the bundle: %w", m.Sequence, err)
				}
				if !mine[e.Group()] {
					return nil
				}
				return take(input{event: &e, at: m.Time})
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if twice > 0 {
		notes = append(notes, fmt.Sprintf("sessions and runs that are in several bundles and are read from the first: %d", twice))
	}
	if slices.ContainsFunc(t.bundles, func(b *bundle.Bundle) bool { return t.of == nil && b.Manifest.RulesHash != t.sets[0].Hash() }) {
		notes = append(notes, "the bundle was exported under other rules than the present ones, so that its present decisions are not the recorded ones")
	}
	f.source = strings.Join(c.Paths, " ")
	return notes, err
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
