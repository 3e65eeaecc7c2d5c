package decisions

import (
	"fmt"
	"maps"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/deployment"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runreport"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sessionreport"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Reading holds the rules by which reports are read: those of the deployment, if they are known.
type Reading struct {
	session *sessionreport.Settings
	run     *runreport.Settings
	hash    string          // hash in decisions under the same rules and key
	others  map[string]bool // other hashes that were seen
}

// NewReading returns a reading by a set of rules; key is the deployment's fingerprint key, nil for that of
// `scan`.
func NewReading(set *rules.Set, key []byte) (*Reading, error) {
	r := &Reading{hash: deployment.Options{Rules: set, FingerprintKey: key}.Identity().ConfigHash, others: map[string]bool{}}
	taken := &rules.Taking{Set: set}
	rules.More(taken, &r.session, sessionreport.LoadSettings)
	rules.More(taken, &r.run, runreport.LoadSettings)
	return r, taken.Err
}

// Others returns the hashes of decisions that were made under other rules, or with another fingerprint key.
func (r *Reading) Others() []string { return slices.Sorted(maps.Keys(r.others)) }

// saw records the rules under which an event was decided; input that was forwarded as sent has none.
func (r *Reading) saw(ev events.Event) {
	if ev.ConfigHash != "" && ev.ConfigHash != r.hash && len(r.others) < maxOthers {
		r.others[ev.ConfigHash] = true
	}
}

// maxOthers limits how many hashes are kept.
const maxOthers = 100

// Alone returns an independent copy for another reader.
func (r *Reading) Alone() *Reading {
	one := *r
	one.others = map[string]bool{}
	return &one
}

// chosenReading returns the given reading, or that of the embedded rule data.
func chosenReading(by []*Reading) (*Reading, error) {
	if len(by) > 0 && by[0] != nil {
		return by[0], nil
	}
	r, err := NewReading(rules.Default(), nil)
	if err != nil {
		return nil, fmt.Errorf("read the rules of reports: %w", err)
	}
	return r, nil
}

// DetectorTitles returns the titles of the detectors by id, for lists.
func DetectorTitles(set *rules.Set) (map[string]string, error) {
	settings, err := sessionreport.LoadSettings(set)
	if err != nil {
		return nil, err
	}
	titles := map[string]string{}
	for id, d := range settings.Detectors {
		titles[id] = d.Title
	}
	return titles, nil
}
