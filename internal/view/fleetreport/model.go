package fleetreport

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/doc"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/prevented"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// SchemaVersion is the version of the JSON form. Fields are only added within a
// version; a changed meaning raises it.
const SchemaVersion = 1

// Model is the fleet's report as data; its JSON form is public. Days are whole
// days in UTC, written 2026-01-31.
type Model struct {
	SchemaVersion int       `json:"schema_version"`
	From          string    `json:"from"` // first day, "" for the beginning
	To            string    `json:"to"`   // last day, "" for the end
	Last          time.Time `json:"last_event,omitzero"`
	Figures       Figures   `json:"totals"`
	Days          []Day     `json:"days"`      // with anything in them, in order
	Detectors     []Tally   `json:"detectors"` // by id
	Agents        []Agent   `json:"agents"`    // by kind
	// Prevented is what the guard denied, warned of or kept first, by what would have been
	// done: most first (GD-21).
	Prevented []Prevented `json:"prevented,omitempty"`
	// Opinions are what models were asked, by model (AD-5).
	Opinions []Opinions `json:"second_opinions,omitempty"`
	Runs     Runs       `json:"runs"`
	Usage    Usage      `json:"usage"`
	Coverage Coverage   `json:"coverage"`
}

// Figures are what happened. A session counts on the day it began, a signal on
// the day it was detected, an interrupt with its fate on the day it fired.
type Figures struct {
	Runs       int `json:"runs"`   // a run counts on the day it began
	Breaks     int `json:"breaks"` // a break on the day it came
	Sessions   int `json:"sessions"`
	Turns      int `json:"turns"`
	NotWatched int `json:"turns_not_watched"`
	Signals    int `json:"signals"`
	Interrupts int `json:"interrupts"`
	Heeded     int `json:"heeded"`
	Ignored    int `json:"ignored"`
	Dismissed  int `json:"dismissed"` // false positives
	// Prevented are calls that were denied, warned of, kept first or let through by a word (GD-21).
	Prevented int `json:"prevented,omitempty"`
}

// Day is one day's figures.
type Day struct {
	Day string `json:"day"`
	Figures
	CostUSD float64 `json:"cost_usd"`
}

// Tally counts a detector's signals by their end (DP-18) and its interrupts by
// what became of them (DP-21). An interrupt that was dismissed counts neither as
// heeded nor as ignored.
type Tally struct {
	Detector    string `json:"detector"`
	Title       string `json:"title,omitempty"`
	Signals     int    `json:"signals"`
	Fired       int    `json:"fired"`
	Logged      int    `json:"logged"`
	Suppressed  int    `json:"suppressed"`
	Corrected   int    `json:"self_corrected"`
	Expired     int    `json:"expired"`
	Coalesced   int    `json:"coalesced"`
	Unsent      int    `json:"unsent"`
	Open        int    `json:"open"` // pending or queued
	Interrupts  int    `json:"interrupts"`
	Emitted     int    `json:"emitted"`
	Delivered   int    `json:"delivered"`
	Acked       int    `json:"acked"`
	Undelivered int    `json:"unsupported"` // the agent could not be told
	Heeded      int    `json:"heeded"`
	Ignored     int    `json:"ignored"`
	Dismissed   int    `json:"dismissed"`
	// Untold were judged though nobody said that the agent got them.
	Untold int `json:"judged_without_delivery"`
	// HeedRate is heeded of those judged, DismissRate dismissed of all; absent
	// where there is nothing to divide by.
	HeedRate    *float64 `json:"heed_rate,omitempty"`
	DismissRate *float64 `json:"dismiss_rate,omitempty"`
}

// Agent is what agents of one kind did; Kind is "" where none said what it is.
type Agent struct {
	Kind       string `json:"kind"`
	Sessions   int    `json:"sessions"`
	Turns      int    `json:"turns"`
	Interrupts int    `json:"interrupts"`
	Usage
}

// Prevented counts the calls whose first act was of a kind.
type Prevented struct {
	Act string `json:"act"`
	prevented.Counts
}

// Usage is what agents reported, as far as they did.
type Usage struct {
	ReportedTurns int     `json:"turns_with_usage"`
	PricedTurns   int     `json:"turns_with_cost"`
	InputTokens   int64   `json:"input_tokens"`
	OutputTokens  int64   `json:"output_tokens"`
	CostUSD       float64 `json:"cost_usd"`
}

// Coverage says what was watched, so that silence means something (DP-33).
type Coverage struct {
	Received    int           `json:"turns_received"`
	Evaluated   int           `json:"turns_evaluated"`
	Failed      int           `json:"turns_failed"`
	Skipped     int           `json:"turns_skipped"` // numbers that never came
	NotWatched  int           `json:"turns_not_watched"`
	OutOfOrder  int           `json:"turns_out_of_order"`
	NoBaseline  int           `json:"turns_without_baseline"` // D1 and D2 were blind
	Unsupported []Unsupported `json:"unsupported"`            // most turns first
	// Gaps are the sessions with most turns that were not watched, of those whose
	// rows are still kept.
	Gaps []Gap `json:"gaps"`
}

// Unsupported is a language or format that nothing watches.
type Unsupported struct {
	What  string `json:"what"`
	Turns int    `json:"turns"`
}

// Gap is a session that was not watched wholly.
type Gap struct {
	Session    string `json:"session"`
	NotWatched int    `json:"turns_not_watched"`
	Turns      int    `json:"turns"`
}

// Counts are how often something happened, by day, kind of name and name: what a
// read model keeps. Kinds are detector, agent, unsupported and prevented.
type Counts map[Count]int64

// Count names one figure.
type Count struct{ Day, Kind, Name, What string }

// Build makes the report of counts; titles are those of detectors by id.
func Build(counts Counts, titles map[string]string) Model {
	b := builder{
		days: map[string]*Day{}, detectors: map[string]*Tally{}, agents: map[string]*Agent{}, cost: map[string]int64{},
		prevented: map[string]*Prevented{}, opinions: map[string]*Opinions{}, unsupported: map[string]int{},
	}
	keys := make([]Count, 0, len(counts))
	for key := range counts {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, compare)
	for _, key := range keys {
		b.add(key, int(counts[key]))
	}
	m := b.model(titles)
	m.AddRuns(nil, nil)
	return m
}

// guarded counts calls that the guard denied, kept or warned of (GD-21).
func (b *builder) guarded(c Count, n int) {
	p := b.prevented[c.Name]
	if p == nil {
		p = &Prevented{Act: c.Name}
		b.prevented[c.Name] = p
	}
	switch sessionevents.GuardOutcome(c.What) {
	case sessionevents.GuardDenied:
		p.Denied += n
	case sessionevents.GuardKept:
		p.Kept += n
	case sessionevents.GuardAllowed:
		p.Allowed += n
	case sessionevents.GuardWarned:
		p.Warned += n
	default:
		return
	}
	b.total.Prevented += n
	b.day(c.Day).Prevented += n
}

// guardedMost are the acts, those first that were prevented most.
func (b *builder) guardedMost() []Prevented {
	list := []Prevented{}
	for _, name := range slices.Sorted(maps.Keys(b.prevented)) {
		list = append(list, *b.prevented[name])
	}
	slices.SortStableFunc(list, func(x, y Prevented) int { return cmp.Compare(y.All(), x.All()) })
	return list
}

// preventedCounts are those of all acts.
func (m *Model) preventedCounts() (all prevented.Counts) {
	for _, p := range m.Prevented {
		all.Denied, all.Kept, all.Warned, all.Allowed = all.Denied+p.Denied, all.Kept+p.Kept, all.Warned+p.Warned, all.Allowed+p.Allowed
	}
	return all
}

// preventedTable is the section "Prevented", without rows where there is nothing.
func preventedTable(m Model) doc.Part {
	t := doc.FiguresPart(prevented.Title, "would have been", "denied", "kept first", "warned of", "allowed once")
	for _, p := range m.Prevented {
		t.Row(append([]string{p.Act}, figures(p.Denied, p.Kept, p.Warned, p.Allowed)...)...)
	}
	return t
}
