package bundle

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/rules"

	"github.com/scaffoldwatch/scaffoldwatch/internal/deployment"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// appliedFolder holds the entries of the bucket RULES for each configuration hash in the bundle's events,
// in the form in which they are stored there (AU-12).
const appliedFolder = "applied/"

// applied adds the entries of the recorded configuration hashes.
func (w *writing) applied(ctx context.Context, add func(name string, data []byte) error) error {
	if w.Applied == nil {
		return nil
	}
	var known []string
	for _, of := range w.Manifest.Recorded {
		if of.Config == "" || slices.Contains(known, of.Config) {
			continue
		}
		known = append(known, of.Config)
		data, err := w.Applied(ctx, of.Config)
		if err != nil {
			return fmt.Errorf("read the rules of configuration %s: %w", of.Config, err)
		}
		if data == nil {
			continue
		}
		if _, err := deployment.DecodeApplied(of.Config, data); err != nil {
			continue // nobody used those rules
		}
		if err := add(appliedFolder+of.Config, data); err != nil {
			return err
		}
	}
	return nil
}

// Applied returns the entry of RULES for a configuration hash at the time of the export, nil if there was
// none. Decoding it computes the hash again.
func (b *Bundle) Applied(hash string) ([]byte, error) {
	return b.read(appliedFolder+hash, maxManifest)
}

// RuleSet returns the rules at the time of the export.
func (b *Bundle) RuleSet() (*rules.Set, error) {
	data, err := b.read(rulesFile, maxSmall)
	if err != nil || len(data) == 0 {
		return rules.Default(), err
	}
	set, err := rules.Load("the bundle's rules.yaml", data)
	if err != nil {
		return nil, fmt.Errorf("this build does not accept the rules in the bundle: %w", err)
	}
	return set, nil
}

// Part is what one configuration decided of a bundle.
type Part struct {
	deployment.Applied
	Groups map[string]bool
}

// Parts splits the groups of a bundle by the configuration under which a stage recorded them, the most
// frequent one first. It returns nil if the bundle, made by an earlier version, does not hold the rules of
// all of them.
func (b *Bundle) Parts(ctx context.Context, stage string) ([]Part, error) {
	of, err := b.configurations(ctx, stage)
	if err != nil {
		return nil, err
	}
	known := map[string]*Part{}
	for group, hash := range of {
		if known[hash] == nil {
			data, err := b.Applied(hash)
			if err != nil || data == nil {
				return nil, err
			}
			applied, err := deployment.DecodeApplied(hash, data)
			if err != nil {
				return nil, fmt.Errorf("the rules in the bundle: %w", err)
			}
			known[hash] = &Part{Applied: applied, Groups: map[string]bool{}}
		}
		known[hash].Groups[group] = true
	}
	var all []Part
	for _, hash := range slices.Sorted(maps.Keys(known)) {
		all = append(all, *known[hash])
	}
	slices.SortStableFunc(all, func(x, y Part) int { return cmp.Compare(len(y.Groups), len(x.Groups)) })
	for _, group := range b.Manifest.Groups {
		if of[group] == "" && len(all) > 0 { // the stage decided nothing about it
			all[0].Groups[group] = true
		}
	}
	return all, nil
}

// configurations returns the configuration hash under which a stage recorded each group: that of the first
// event that the stage derived itself.
func (b *Bundle) configurations(ctx context.Context, stage string) (map[string]string, error) {
	of := map[string]string{}
	written, err := nats.StreamOf(stage)
	if err != nil {
		return nil, err
	}
	err = b.Each(ctx, written, math.MaxUint64, func(m proof.Message) error {
		at, ok := placeOf(m.Subject)
		if hash := m.Header.Get("ce-confighash"); ok && at.Kind == subjects.KindStored && hash != "" && of[at.Group] == "" {
			of[at.Group] = hash
		}
		return nil
	})
	return of, err
}
