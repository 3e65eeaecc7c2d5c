package decisions

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/deployment"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/naming"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runreport"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sessionreport"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// newsFilters returns filters for conclusions about a run that were drawn in other groups: those of its
// project (RW-15) and of its workspace (PL-10).
func newsFilters(run string) []string {
	return []string{
		"decisions." + string(sessionevents.TypeSignalDetected) + ".*.*." + run,
		subjects.SessionFilter(runevents.TypeCorrectionIssued, run), subjects.SessionFilter(runevents.TypeEscalationRaised, run),
		subjects.SessionFilter(runevents.TypeWarningIssued, run),
	}
}

// ReadRunReport folds the report of one run from DECISIONS (RW-42), or of a session without a run that
// something was decided about (RW-35). The reading is optional and defaults to that of the embedded rule
// data.
func ReadRunReport(ctx context.Context, broker *nats.Broker, run string, by ...*Reading) (runreport.Model, error) {
	reading, err := chosenReading(by)
	if err != nil {
		return runreport.Model{}, err
	}
	m, _, err := ReadRun(ctx, broker, run, reading)
	return m, err
}

// ReadRun folds the report of a run, and also returns the events that it was folded from, in the order of
// the stream.
func ReadRun(ctx context.Context, broker *nats.Broker, run string, by *Reading) (m runreport.Model, decided []events.Event, err error) {
	if !events.ValidID(run) {
		return m, nil, fmt.Errorf("%q is not a run id; ids are 1 to 128 of A-Z a-z 0-9 _ -", run)
	}
	decided, through, err := runDecisions(ctx, broker, run)
	if err != nil {
		return m, nil, fmt.Errorf("read the decisions about %s: %w", run, err)
	}
	if m, err = FoldRunReport(decided, run, by); err != nil {
		return m, nil, err
	}
	m.Heads, err = headsOf(ctx, broker, run, through)
	return m, decided, err
}

// FoldRunReport folds decisions into the report of a run.
func FoldRunReport(list []events.Event, run string, by *Reading) (runreport.Model, error) {
	fold := runreport.New(run, by.run)
	for _, ev := range list {
		by.saw(ev)
		fold.Apply(ev)
	}
	if !fold.Reportable() {
		return runreport.Model{}, fmt.Errorf("%w %s; `scaffoldwatch runs` lists them", ErrNoRun, naming.Brief(run))
	}
	return fold.Result(), nil
}

// runDecisions returns the events about a run, including those of other groups, in the order of the stream,
// and the sequence up to which it was read.
func runDecisions(ctx context.Context, broker *nats.Broker, run string) (out []events.Event, through uint64, err error) {
	about, through, err := read.About(ctx, broker, "dispatcher", append(subjects.DecidedAboutRun(run), newsFilters(run)...))
	if err != nil {
		return nil, 0, err
	}
	for _, a := range about {
		if a.Fault == "" {
			out = append(out, a.Input.Event)
		}
	}
	return out, through, nil
}

// FollowRunReport folds decisions about a run as they are made and passes each new state of its report to
// changed. It returns nil when the run is completed, or the first error. Events about the run in other
// groups are added at the end.
func FollowRunReport(ctx context.Context, broker *nats.Broker, run string, changed func(runreport.Model) error, by ...*Reading) error {
	if !events.ValidID(run) {
		return fmt.Errorf("%q is not a run id; ids are 1 to 128 of A-Z a-z 0-9 _ -", run)
	}
	reading, err := chosenReading(by)
	if err != nil {
		return err
	}
	settings := *reading.run
	settings.Limits.Timeline = followMoments
	fold := runreport.New(run, &settings)
	return follow(ctx, broker, run, subjects.DecidedAboutRun(run), fold.Apply, func() (bool, error) {
		m := fold.Result()
		if !m.Run.Completed {
			return false, changed(m)
		}
		whole, err := ReadRunReport(ctx, broker, run, reading)
		if err != nil {
			return true, err
		}
		return true, changed(whole)
	})
}

// IsRun reports whether DECISIONS holds run events for an id.
func IsRun(ctx context.Context, broker *nats.Broker, id string) (isRun bool, err error) {
	if !events.ValidID(id) {
		return false, fmt.Errorf("%q is not the id of a session or run; ids are 1 to 128 of A-Z a-z 0-9 _ -", id)
	}
	var filters []string
	for _, class := range runFacts {
		filters = append(filters, "decisions."+class+".*."+id+"."+id)
	}
	about, _, err := read.About(ctx, broker, "dispatcher", filters)
	for _, a := range about {
		described, known := events.Lookup(a.Input.Event.Type)
		isRun = isRun || known && described.RunEvent
	}
	if err != nil {
		return false, fmt.Errorf("read whether %s is a run: %w", id, err)
	}
	return isRun, nil
}

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
