package chain

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/deployment"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// appliedStream holds the bucket RULES: the configuration that each configuration hash names (AU-12).
const appliedStream = events.Stream("KV_" + topology.BucketRules)

const (
	appliedPrefix   = "$KV." + topology.BucketRules + "."
	headerOperation = "KV-Operation" // marks a removed key
)

// maxConfigurations limits how many configurations are looked up.
const maxConfigurations = 10000

// named records the configuration under which a proven event was decided.
func (v *verification) named(w waiting) {
	if !isConfiguration(w.config) {
		return
	}
	if v.configurations[w.config] == 0 && len(v.configurations) == maxConfigurations {
		return
	}
	if v.configurations == nil {
		v.configurations = map[string]int{}
	}
	v.configurations[w.config]++
}

func isConfiguration(hash string) bool {
	_, err := hex.DecodeString(hash)
	return len(hash) == 12 && err == nil
}

// rules checks that the bucket RULES holds the configurations that events name. Its content is its own
// proof: its hash is the key, and the events that name the key are signed.
func (v *verification) rules(ctx context.Context, from Source) error {
	bucket, err := from.Stream(ctx, appliedStream)
	if err != nil {
		return fmt.Errorf("look up the bucket RULES: %w", err)
	}
	kept := map[string]proof.Message{}
	if !bucket.Missing {
		err = from.Each(ctx, appliedStream, bucket.Last, func(m proof.Message) error {
			if key, is := strings.CutPrefix(m.Subject, appliedPrefix); is {
				v.appliedEntry(key, m)
				kept[key] = m
			}
			return nil
		})
	}
	if err != nil {
		return fmt.Errorf("read the bucket RULES: %w", err)
	}
	v.configurationsGone(bucket, kept)
	return nil
}

// appliedEntry checks one entry.
func (v *verification) appliedEntry(key string, m proof.Message) {
	hash := m.Hash()
	f := Finding{Stream: string(appliedStream), Partition: WholeStream, Sequence: m.Sequence, Digest: hex.EncodeToString(hash[:])}
	if m.Header.Get(headerOperation) != "" {
		f.Kind, f.What = RulesGone, fmt.Sprintf("the rules of configuration %s were removed%s", clip(key), v.under(key))
		v.add(f)
		return
	}
	if err := deployment.CheckApplied(key, m.Data); err != nil {
		f.Kind = RulesEdited
		f.What = fmt.Sprintf("the rules stored for configuration %s do not match it%s: %s", clip(key), v.under(key), clip(err.Error()))
		v.add(f)
	}
}

func (v *verification) under(key string) string {
	if events := v.configurations[key]; events > 0 {
		return ", which " + text.Count(events, "event was", "events were") + " decided under"
	}
	return ""
}

// configurationsGone reports configurations that are missing from the bucket although something was removed
// from it. If nothing was removed, the configuration was never stored: by an earlier build, or by a service
// without write access.
func (v *verification) configurationsGone(bucket proof.Stream, kept map[string]proof.Message) {
	lost := !bucket.Missing && bucket.Last > bucket.Kept
	for _, key := range slices.Sorted(maps.Keys(v.configurations)) {
		if _, is := kept[key]; is {
			continue
		}
		if !lost {
			v.unnamed = append(v.unnamed, key)
			continue
		}
		digest := sha256.Sum256([]byte(key))
		v.add(Finding{
			Kind: RulesGone, Stream: string(appliedStream), Partition: WholeStream, Digest: hex.EncodeToString(digest[:]),
			What: fmt.Sprintf("the rules of configuration %s are missing, and something was removed%s", key, v.under(key)),
		})
	}
}

// appliedLimits lists the configurations that RULES never held.
func (v *verification) appliedLimits() []string {
	if len(v.unnamed) == 0 {
		return nil
	}
	const most = 3
	list, more := v.unnamed, ""
	if len(list) > most {
		list, more = list[:most], fmt.Sprintf(" and %d more", len(list)-most)
	}
	return []string{"RULES: has no entry for configuration " + strings.Join(list, ", ") + more +
		": recorded by an earlier build, not stored yet, or the bucket was recreated; the events are proven, the rules that they name are not"}
}
