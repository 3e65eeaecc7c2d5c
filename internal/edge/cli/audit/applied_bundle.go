package audit

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/bundle"
	"github.com/scaffoldwatch/scaffoldwatch/internal/deployment"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/keep"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// appliedOf returns a function that reads the entry of RULES for a hash. An entry that does not have this
// hash is left out: nobody used those rules.
func appliedOf(broker *nats.Broker) func(ctx context.Context, hash string) ([]byte, error) {
	return func(ctx context.Context, hash string) ([]byte, error) {
		if !isHash(hash) {
			return nil, nil
		}
		data, err := keep.Applied(ctx, broker, hash)
		if err != nil || data == nil {
			return nil, err
		}
		if _, err := deployment.DecodeApplied(hash, data); err != nil {
			return nil, nil
		}
		return data, nil
	}
}

// part is what one configuration decided of a bundle.
type part struct {
	deployment.Applied
	groups map[string]bool
}

// parts splits the groups of a bundle by the configuration under which a stage recorded them, the most
// frequent one first. It returns nil if the bundle, made by an earlier version, does not hold the rules of
// all of them.
func parts(b *bundle.Bundle, stage string) ([]part, error) {
	of, err := b.Configurations(stage)
	if err != nil {
		return nil, err
	}
	known := map[string]*part{}
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
			known[hash] = &part{Applied: applied, groups: map[string]bool{}}
		}
		known[hash].groups[group] = true
	}
	var all []part
	for _, hash := range slices.Sorted(maps.Keys(known)) {
		all = append(all, *known[hash])
	}
	slices.SortStableFunc(all, func(x, y part) int { return cmp.Compare(len(y.groups), len(x.groups)) })
	for _, group := range b.Manifest.Groups {
		if of[group] == "" && len(all) > 0 { // the stage decided nothing about it
			all[0].groups[group] = true
		}
	}
	return all, nil
}

// changedFrom fills in what changed since the record was made.
func changedFrom(b *bundle.Bundle, present *rules.Set, others []otherRules) {
	for i := range others {
		others[i].Changed = changes(b, present, others[i].Config)
	}
}

// changes returns what changed since the configuration with a hash, if the bundle has its rules.
func changes(b *bundle.Bundle, present *rules.Set, config string) string {
	data, err := b.Applied(config)
	if err != nil || data == nil {
		return "not known: the bundle does not have those rules"
	}
	was, err := deployment.DecodeApplied(config, data)
	if err != nil {
		return "not known: " + err.Error()
	}
	is := deployment.Options{Rules: present}.Applied()
	is.KeyMark = was.KeyMark // no bundle holds the key of the fingerprints
	text, err := was.Changes(is, manyChanges)
	if err != nil {
		return "not known: " + err.Error()
	}
	return text
}
