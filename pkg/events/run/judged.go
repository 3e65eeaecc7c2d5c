package run

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"
)

// RunJudged holds what the rules of a run concluded from one event besides their
// decisions, so that a report needs no rules. Its subject is the run, or the session that
// was stopped. Each part holds what the event changed; an entry with a known key replaces
// the earlier one. It follows all other results of the event.
type RunJudged struct {
	// Breaks are keyed by the break (RW-32).
	Breaks []BreakJudged `json:"breaks,omitempty"`
	Cycle  *CycleJudged  `json:"cycle,omitempty"` // RW-31
	// Degradations are keyed by their event (PL-3).
	Degradations []Degradation `json:"degradations,omitempty"`
	Leftovers    []Leftover    `json:"leftovers,omitempty"`    // PL-8
	Evaluations  []Evaluation  `json:"evaluations,omitempty"`  // PL-20
	ScopeChecks  []ScopeResult `json:"scope_checks,omitempty"` // PL-40
	// Isolation is present for runs of the wave protocol (WP-17).
	Isolation *IsolationJudged `json:"isolation_defence,omitempty"`
	// Conformance and RulesBroken are keyed by the clause; Events holds the added events
	// (WP-19).
	Conformance []Clause `json:"conformance,omitempty"`
	RulesBroken []Clause `json:"rules_broken,omitempty"`
	// Calibration holds the added entries and the current tally (PL-39).
	Calibration *Calibration `json:"calibration,omitempty"`
}

// Empty reports whether the event changed nothing.
func (d *RunJudged) Empty() bool {
	lists := len(d.Breaks) + len(d.Degradations) + len(d.Leftovers) + len(d.Evaluations) + len(d.ScopeChecks) + len(d.Conformance) + len(d.RulesBroken)
	return lists == 0 && d.Cycle == nil && d.Isolation == nil && d.Calibration == nil
}

// WarrantVerdict is whether a break was warranted, given what happened after it (RW-32).
type WarrantVerdict string

// Verdicts on a break.
const (
	Warranted    WarrantVerdict = "warranted"
	NotWarranted WarrantVerdict = "not_warranted"
	Unclear      WarrantVerdict = "unclear"   // what happened supports neither
	TooEarly     WarrantVerdict = "too_early" // nothing has happened yet
)

// Warrant is a verdict on a break and its basis.
type Warrant struct {
	Verdict WarrantVerdict `json:"verdict" jsonschema:"enum=warranted,enum=not_warranted,enum=unclear,enum=too_early"`
	// Basis is the rule that decided; docs/report.md explains each.
	Basis    WarrantBasis `json:"basis" jsonschema:"enum=same_trigger_while_it_stood,enum=same_trigger_again,enum=work_taken_back,enum=cause_fixed,enum=work_redone,enum=failed_after_resume,enum=not_taken_up,enum=finished_what_was_begun,enum=succeeded_without_resume,enum=broke_otherwise,enum=boundary_moved,enum=accepted_as_it_is,enum=succeeded_after_resume,enum=quiet_after_resume,enum=upgraded,enum=goes_on,enum=stands,enum=not_recorded"`
	Why      string       `json:"why"`
	Evidence []string     `json:"evidence"` // event ids
}

// BreakJudged is a break with its outcome and whether it was warranted.
type BreakJudged struct {
	Break    string    `json:"break"` // id of the wiggum.break
	Resumed  *Resume   `json:"resumed,omitempty"`
	Recovery *Recovery `json:"recovery,omitempty"`
	Reverted string    `json:"reverted,omitempty"` // event that reverted the broken merge (RW-30)
	Warrant  Warrant   `json:"warranted"`
}

// Resume holds who resumed a run or session, and why (RW-34).
type Resume struct {
	Event string    `json:"event"`
	Time  time.Time `json:"time"`
	By    string    `json:"by,omitempty"`
	Why   string    `json:"why,omitempty"`
}

// Recovery is the recovery option that a person chose (WP-2).
type Recovery struct {
	Event  string `json:"event"`
	Option int    `json:"option"`
	By     string `json:"by,omitempty"`
	Why    string `json:"why,omitempty"`
}

// CycleJudged compares a plan-do-check cycle with the one before it (RW-31).
type CycleJudged struct {
	Open       int      `json:"open"` // findings
	Critical   int      `json:"critical"`
	Compared   bool     `json:"compared"` // there was an earlier cycle
	Resolved   int      `json:"resolved"`
	New        int      `json:"new"`
	Persistent int      `json:"persistent"`
	Regressed  int      `json:"regressed"`
	Score      *float64 `json:"score,omitempty"` // computed; absent if nothing changed
}

// Degradation is a phase that handed over less than its contract requires, with the
// outcome: data for deciding whether the policy should change (PL-3).
type Degradation struct {
	Phase    string          `json:"phase,omitempty"`
	Cycle    int             `json:"cycle,omitempty"`
	Quality  HandoverQuality `json:"quality" jsonschema:"enum=full,enum=partial,enum=fallback"`
	Event    string          `json:"event"`
	Findings int             `json:"findings,omitempty"`  // of later reviews, citing missing context
	FixLoops int             `json:"fix_loops,omitempty"` // started later
}

// Leftover is what was still open when a loop stopped at its limit (PL-8).
type Leftover struct {
	Cycle    int      `json:"cycle,omitempty"`
	Event    string   `json:"event"`
	Findings []string `json:"findings,omitempty"`
	Residual []string `json:"residual,omitempty"` // as the publisher reports
}

// Evaluation is a judgement with the mode its author was declared in (PL-20).
type Evaluation struct {
	Agent   string `json:"agent,omitempty"`
	Role    string `json:"role,omitempty"`
	Mode    string `json:"mode"` // "undeclared" if no agent.spawned declared it
	Verdict string `json:"verdict,omitempty"`
	Event   string `json:"event"`
}

// ScopeResult is a scope check as recounted (PL-40).
type ScopeResult struct {
	Event      string          `json:"event"`
	Missing    int             `json:"missing"` // missing and partial
	Unclear    int             `json:"unclear,omitempty"`
	Creep      int             `json:"creep"`
	Confidence ScopeConfidence `json:"confidence" jsonschema:"enum=High,enum=Medium,enum=Low"`
}

// IsolationJudged holds the changes to the isolation defence of a run (WP-17).
type IsolationJudged struct {
	Layers    []IsolationLayer    `json:"layers,omitempty"`    // keyed by the layer
	Incidents []IsolationIncident `json:"incidents,omitempty"` // keyed by their number
	Tainted   []int               `json:"tainted,omitempty"`   // waves accepted as they are, for good
}

// LayerState is how a layer of isolation performed in an incident.
type LayerState string

// States of a layer.
const (
	LayerAbsent LayerState = "absent" // it was not in place
	LayerFailed LayerState = "failed" // it was in place and did not prevent it
	LayerCaught LayerState = "caught" // it prevented or found it
	LayerPassed LayerState = "passed" // it was in place and not involved
	LayerAhead  LayerState = "ahead"  // it applies later
)

// IsolationLayer sums up one of the five layers over a run.
type IsolationLayer struct {
	Layer  int    `json:"layer"`
	Name   string `json:"name"`
	Absent int    `json:"absent"` // incidents at which it was absent …
	Failed int    `json:"failed"`
	Caught int    `json:"caught"`
}

// IsolationIncident is one failure of isolation and how each layer did (WP-17).
type IsolationIncident struct {
	Number int    `json:"number,omitempty"` // counts the run's incidents from 1
	Wave   int    `json:"wave,omitempty"`
	Letter string `json:"letter,omitempty"`
	What   string `json:"what,omitempty"`
	Event  string `json:"event"`
	// Layers holds the states of layers 0 to 4.
	Layers []LayerState `json:"layers"`
	// CaughtBy lists the layers that caught it, in that order.
	CaughtBy []CaughtBy `json:"caught_by,omitempty"`
	// Observer reports whether our own live detection saw it; it is not a layer.
	Observer bool `json:"observer,omitempty"`
}

// Conformity is how well a run conforms to an invariant or rule (WP-19).
type Conformity string

// Conformities.
const (
	ConformityHeld    Conformity = "held"     // it applied, and nothing was found
	ConformityWarned  Conformity = "warned"   // nothing worse than warnings
	ConformityBroken  Conformity = "broken"   // at least one violation
	ConformityNotSeen Conformity = "not_seen" // no event of the run involves it
)

// Clause is an invariant (I1 … I6), an execution rule (E1 … E14) or another rule
// of the wave protocol, and how a run conforms to it.
type Clause struct {
	ID         string     `json:"id"`
	Title      string     `json:"title,omitempty"` // of an invariant or execution rule
	Conformity Conformity `json:"conformity" jsonschema:"enum=held,enum=warned,enum=broken,enum=not_seen"`
	Violations int        `json:"violations,omitempty"`
	Warnings   int        `json:"warnings,omitempty"`
	Events     []string   `json:"events,omitempty"` // of the findings, in order
}

// Calibration is the calibration log of a run (PL-39): the interpretations, the outcome,
// and how often each kind of error occurred.
type Calibration struct {
	Tally CalibrationTally `json:"tally"`
	// Entries are the checkpoints, councils, corrections and results in order.
	Entries []CalibrationEntry `json:"entries,omitempty"`
	// Misread are ids of findings that reviews tagged as misread intent.
	Misread []string `json:"misread,omitempty"`
}

// CalibrationTally counts the two kinds of error: A, the ticket was vague or
// ambiguous; B, the ticket was clear and the agent's picture of the code wrong.
type CalibrationTally struct {
	TicketsA      int `json:"tickets_a,omitempty"`      // tickets that failed pre-flight
	ContradictedB int `json:"contradicted_b,omitempty"` // assumptions that the code contradicted
	RecordedA     int `json:"recorded_a,omitempty"`     // calibration.recorded with kind A
	RecordedB     int `json:"recorded_b,omitempty"`     // calibration.recorded with kind B
	Unclassified  int `json:"unclassified,omitempty"`   // calibration.recorded without a kind
}

// CalibrationEntry is one line of the log.
type CalibrationEntry struct {
	Event     string          `json:"event"`
	What      CalibrationKind `json:"what" jsonschema:"enum=checkpoint,enum=council,enum=correction,enum=result"`
	Level     string          `json:"level,omitempty"`
	Self      string          `json:"self,omitempty"`      // of a checkpoint: the agent's own statement
	Breakdown json.RawMessage `json:"breakdown,omitempty"` // of a checkpoint or result, as given
	Option    string          `json:"option,omitempty"`    // of a correction
	Text      string          `json:"text,omitempty"`      // of a correction, a council's winner, a result's correction
	Outcome   string          `json:"outcome,omitempty"`
	Verdict   string          `json:"verdict,omitempty"`
	Subtype   string          `json:"subtype,omitempty"`
	Findings  []string        `json:"findings,omitempty"`
}

// HandoverQuality is how much of its contract a phase handed over (PL-1).
type HandoverQuality string

// Qualities of a handover.
const (
	HandoverFull     HandoverQuality = "full"     // a valid artifact of the contract
	HandoverPartial  HandoverQuality = "partial"  // notes only
	HandoverFallback HandoverQuality = "fallback" // neither
)

// ScopeConfidence is how far a scope check can be relied on (PL-40).
type ScopeConfidence string

// Confidences of a scope check.
const (
	ConfidenceHigh   ScopeConfidence = "High"
	ConfidenceMedium ScopeConfidence = "Medium"
	ConfidenceLow    ScopeConfidence = "Low"
)

// CaughtBy is what caught a failure of isolation (WP-17): a layer, by its number,
// or our own live detection, which is not a layer.
type CaughtBy string

// What can catch a failure of isolation.
const (
	CaughtByLayer0   CaughtBy = "0" // the pre-commit hook
	CaughtByLayer1   CaughtBy = "1" // the worktrees of the orchestrator
	CaughtByLayer2   CaughtBy = "2" // the isolation parameter of the start
	CaughtByLayer3   CaughtBy = "3" // the agent's self-verification
	CaughtByLayer4   CaughtBy = "4" // the trip wire before the merge
	CaughtByObserver CaughtBy = "observer"
)

// CalibrationKind is what an entry of the calibration log is about (PL-39).
type CalibrationKind string

// Kinds of calibration entries.
const (
	CalibrationCheckpoint CalibrationKind = "checkpoint"
	CalibrationCouncil    CalibrationKind = "council"
	CalibrationCorrection CalibrationKind = "correction"
	CalibrationResult     CalibrationKind = "result"
)

// Add folds a later event of the same run: entries with a known key replace the earlier
// ones, others are appended. The cycle is the latest one.
func (d *RunJudged) Add(later *RunJudged) {
	d.Breaks = replaced(d.Breaks, later.Breaks, func(a, b *BreakJudged) bool { return a.Break == b.Break })
	d.Degradations = replaced(d.Degradations, later.Degradations, func(a, b *Degradation) bool { return a.Event == b.Event })
	d.Leftovers = append(d.Leftovers, later.Leftovers...)
	d.Evaluations = append(d.Evaluations, later.Evaluations...)
	d.ScopeChecks = append(d.ScopeChecks, later.ScopeChecks...)
	d.Conformance = extended(d.Conformance, later.Conformance)
	d.RulesBroken = extended(d.RulesBroken, later.RulesBroken)
	slices.SortStableFunc(d.RulesBroken, byRule)
	if later.Cycle != nil {
		d.Cycle = later.Cycle
	}
	if later.Isolation != nil {
		d.Isolation = d.Isolation.with(later.Isolation)
	}
	if later.Calibration != nil {
		d.Calibration = d.Calibration.with(later.Calibration)
	}
}

// replaced returns the list with each later entry in place of the one with the same key.
func replaced[T any](list, later []T, same func(a, b *T) bool) []T {
	for i := range later {
		at := slices.IndexFunc(list, func(one T) bool { return same(&one, &later[i]) })
		if at < 0 {
			list = append(list, later[i])
		} else {
			list[at] = later[i]
		}
	}
	return list
}

// extended replaces clauses by id and keeps the events of both.
func extended(list, later []Clause) []Clause {
	for _, c := range later {
		at := slices.IndexFunc(list, func(known Clause) bool { return known.ID == c.ID })
		if at < 0 {
			list = append(list, c)
			continue
		}
		c.Events = slices.Concat(list[at].Events, c.Events)
		list[at] = c
	}
	return list
}

// byRule orders clauses by the number in their id, those of the wave protocol first.
func byRule(a, b Clause) int {
	kindA, textA, _ := strings.Cut(a.ID, "-")
	kindB, textB, _ := strings.Cut(b.ID, "-")
	numberA, _ := strconv.Atoi(textA) // 0 for an id without a number
	numberB, _ := strconv.Atoi(textB)
	return cmp.Or(-cmp.Compare(kindA, kindB), cmp.Compare(numberA, numberB))
}

func (d *IsolationJudged) with(later *IsolationJudged) *IsolationJudged {
	if d == nil {
		d = &IsolationJudged{}
	}
	d.Layers = replaced(d.Layers, later.Layers, func(a, b *IsolationLayer) bool { return a.Layer == b.Layer })
	d.Incidents = replaced(d.Incidents, later.Incidents, func(a, b *IsolationIncident) bool { return a.Number == b.Number })
	d.Tainted = replaced(d.Tainted, later.Tainted, func(a, b *int) bool { return *a == *b })
	return d
}

func (d *Calibration) with(later *Calibration) *Calibration {
	if d == nil {
		d = &Calibration{}
	}
	return &Calibration{Tally: later.Tally, Entries: append(d.Entries, later.Entries...), Misread: append(d.Misread, later.Misread...)}
}
