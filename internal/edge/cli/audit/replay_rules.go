package audit

import (
	"context"
	"errors"
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/deployment"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/keep"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// errNoRules is returned if RULES holds nothing for a configuration hash.
var errNoRules = errors.New("the bucket RULES has no entry for it: the record is from an earlier version, or the hash is wrong")

// applied reads the entry of a configuration hash.
func applied(ctx context.Context, broker *nats.Broker, hash string) (deployment.Applied, error) {
	data, err := keep.Applied(ctx, broker, hash)
	if err != nil {
		return deployment.Applied{}, err
	}
	if data == nil {
		return deployment.Applied{}, errNoRules
	}
	return deployment.DecodeApplied(hash, data)
}

// recordedRules returns the rules that the services stored under the hash of --under.
func (c *Replay) recordedRules(r *cli.Call, broker *nats.Broker, o deployment.Options) (*rules.Set, error) {
	if c.Rules != "" {
		return nil, cli.Usage(errors.New("--rules and --under are mutually exclusive"))
	}
	if !isHash(c.Under) {
		return nil, cli.Usage(fmt.Errorf("--under %s: a configuration hash has 12 hexadecimal digits", c.Under))
	}
	was, err := applied(r, broker, c.Under)
	if err != nil {
		return nil, fmt.Errorf("replay under %s: %w", c.Under, err)
	}
	if o.Rules = was.Set(); o.Identity().ConfigHash != c.Under {
		return nil, fmt.Errorf("replay under %s: its fingerprint key differs from security.fingerprint_key; pass the configuration of that time with --config", c.Under)
	}
	return was.Set(), nil
}

// isHash reports whether text can be a configuration hash; it becomes part of a subject.
func isHash(text string) bool {
	for _, c := range text {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return len(text) == 12
}

// manyChanges limits how many changed settings one line names.
const manyChanges = 8

// explain fills in what changed since events were recorded under other rules.
func explain(ctx context.Context, broker *nats.Broker, present deployment.Options, others []otherRules) {
	for i := range others {
		others[i].Changed = changed(ctx, broker, present, others[i].Config)
	}
}

func changed(ctx context.Context, broker *nats.Broker, present deployment.Options, hash string) string {
	if !isHash(hash) {
		return "not known: the record names no configuration hash"
	}
	was, err := applied(ctx, broker, hash)
	if err == nil {
		var text string
		if text, err = was.Changes(present.Applied(), manyChanges); err == nil {
			return text
		}
	}
	return "not known: " + err.Error()
}
