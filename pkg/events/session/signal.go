package session

import (
	"fmt"
	"math"
	"strconv"
)

// Class is a detector class; ties go to B, E, A, C, D in this order (DP-13).
type Class string

// Classes.
const (
	ClassA Class = "A" // architecture conflict
	ClassB Class = "B" // security and quality
	ClassC Class = "C" // redundancy and thrash
	ClassD Class = "D" // scope creep and drift
	ClassE Class = "E" // proof of done
)

// Layer is the layer that a signal belongs to.
type Layer string

// Layers.
const (
	LayerSession   Layer = "session"
	LayerArchetype Layer = "archetype"
	LayerSystem    Layer = "system"
	LayerPolicy    Layer = "policy"
	LayerWave      Layer = "wave"
	LayerPipeline  Layer = "pipeline"
)

// Urgency is held in tenths (DP-1) and written with one decimal place.
type Urgency int

// UrgencyOf is cost × (1 − selfCorrect) in tenths, rounded half up (DP-1).
// Cost is 1–5, selfCorrect 0–1 with at most two decimals.
func UrgencyOf(cost int, selfCorrect float64) Urgency {
	hundredths := 100 - int(math.Round(selfCorrect*100))
	return Urgency((cost*hundredths + 5) / 10)
}

// String returns the value with one decimal place, e.g. "4.0".
func (u Urgency) String() string {
	sign := ""
	if u < 0 {
		sign, u = "-", -u
	}
	return fmt.Sprintf("%s%d.%d", sign, u/10, u%10)
}

// MarshalJSON writes a number with one decimal place.
func (u Urgency) MarshalJSON() ([]byte, error) { return []byte(u.String()), nil }

// UnmarshalJSON reads any JSON number and rounds it to tenths.
func (u *Urgency) UnmarshalJSON(b []byte) error {
	f, err := strconv.ParseFloat(string(b), 64)
	if err != nil || math.IsNaN(f) || math.Abs(f) > 1e6 {
		return fmt.Errorf("urgency %q is not a number such as 4.0", b)
	}
	*u = Urgency(math.Round(f * 10))
	return nil
}

// Evidence points at what a signal is about; Quote is redacted.
type Evidence struct {
	Segment int         `json:"segment"` // index within the turn
	Kind    SegmentKind `json:"kind"`
	Path    string      `json:"path,omitempty"`
	Line    int         `json:"line,omitempty"`
	Offset  int         `json:"offset"` // bytes into the segment's text; a DIFF's text is its added lines joined by newlines
	Length  int         `json:"length"`
	Quote   string      `json:"quote,omitempty"`
	// ConflictsWith is the earlier event that this contradicts.
	ConflictsWith *EarlierEvent `json:"conflicts_with,omitempty"`
	// Flow is the path of a value within a file, from its source to the sink (B2, B3).
	Flow []FlowStep `json:"flow,omitempty"`
}

// FlowStep is one step on the path of a value.
type FlowStep struct {
	Role FlowRole `json:"role" jsonschema:"enum=source,enum=step,enum=sink"`
	Line int      `json:"line,omitempty"` // 0 if unknown
	Code string   `json:"code"`           // the line, shortened
}

// FlowRole is what happens to a value at a step.
type FlowRole string

// Roles of flow steps.
const (
	FlowSource  FlowRole = "source"
	FlowThrough FlowRole = "step" // it is assigned, collected or passed on
	FlowSink    FlowRole = "sink"
)

// EarlierEvent is the earlier half of a conflict.
type EarlierEvent struct {
	Turn    int    `json:"turn,omitempty"`    // 0: before the session (codebase index)
	Session string `json:"session,omitempty"` // set if it is another session of the run
	Path    string `json:"path,omitempty"`
	Line    int    `json:"line,omitempty"`
	What    string `json:"what,omitempty"`
}

// Signal is the data of signal.detected (SW-30).
type Signal struct {
	Session     string   `json:"session,omitempty"`
	Run         string   `json:"run,omitempty"`
	Turn        int      `json:"turn"`
	ID          string   `json:"id"`
	Layer       Layer    `json:"layer"`
	Detector    string   `json:"detector"` // A1 … D3, or a rule id on other layers
	Class       Class    `json:"class,omitempty"`
	Subclass    string   `json:"subclass,omitempty"`
	CWE         int      `json:"cwe,omitempty"` // class B: 89 is CWE-89
	Subject     string   `json:"subject"`       // the symbol, path, question or feature it is about
	Confidence  float64  `json:"confidence"`    // 0–1
	ReworkCost  int      `json:"rework_cost"`
	SelfCorrect float64  `json:"self_correct_prob"`
	Urgency     Urgency  `json:"urgency"`
	Floor       *Urgency `json:"floor,omitempty"`
	Cap         *Urgency `json:"cap,omitempty"`      // a validator's limit; 1.9 means LOG only
	Forced      bool     `json:"forced,omitempty"`   // D2: fires although below 4.0
	Escalate    bool     `json:"escalate,omitempty"` // B1, B2 over 0.85 (DP-3)
	Suppressed  string   `json:"suppressed,omitempty"`
	// Basis lists the facts and readings that the signal rests on (JD-1).
	Basis []Ground `json:"basis,omitempty"`
	// Withheld is why a signal is only logged despite its urgency: "reading" (JD-2).
	Withheld string `json:"withheld,omitempty"`
	// Confirms is the withheld signal that this one repeats because a second opinion
	// confirmed it (AD-2).
	Confirms string `json:"confirms,omitempty"`
	// Final reports that nothing follows in which the agent could correct itself, so that
	// it gets no grace turn (DP-12, E1).
	Final      bool        `json:"final,omitempty"`
	Streak     int         `json:"streak,omitempty"`   // C4: length of the repeat
	AgentID    string      `json:"agent_id,omitempty"` // the agent whose behaviour it is (RW-1 … RW-7)
	Cycle      int         `json:"cycle,omitempty"`
	Conditions []Condition `json:"conditions,omitempty"` // layers archetype, system, policy: all conditions that held
	Events     []string    `json:"events,omitempty"`     // ids of the run events it rests on
	Evidence   []Evidence  `json:"evidence,omitempty"`
	Message    string      `json:"message"` // ≤ 40 words, a fact with a suggested action
	Reason     string      `json:"reason"`  // one sentence, for people
	// Fix is the alternative, without the place: "pass the value as a query parameter".
	Fix string `json:"fix,omitempty"`
}

// Ground is one fact, reading or opinion that a signal rests on (JD-1).
type Ground struct {
	Kind GroundKind `json:"kind" jsonschema:"enum=fact,enum=reading,enum=model"`
	What string     `json:"what"`
}

// GroundKind is the reliability of a ground.
type GroundKind string

// Kinds of grounds.
const (
	GroundFact    GroundKind = "fact"    // the record shows it
	GroundReading GroundKind = "reading" // an interpretation of words
	GroundModel   GroundKind = "model"   // the opinion of a model
)

// Condition is one condition of a shadow that held (RW-1 … RW-16).
type Condition struct {
	Name   string          `json:"name"` // e.g. too_many_words
	What   string          `json:"what"` // in one sentence, with the figures
	Value  float64         `json:"value,omitempty"`
	Limit  float64         `json:"limit,omitempty"`
	Source ConditionSource `json:"source" jsonschema:"enum=fields,enum=text,enum=session"`
	// Immunity is why it was not counted after all (RW-8).
	Immunity string `json:"immunity,omitempty"`
}

// Pause is a natural pause (DP-16).
type Pause struct {
	Natural bool        `json:"natural"`
	Why     PauseReason `json:"why,omitempty" jsonschema:"enum=diff_then_plan,enum=completed,enum=tests,enum=end_of_response"`
	// Boundary reports that the turn ends with a tool call whose output the agent awaits:
	// this is not a pause, except for a signal that has waited too long.
	Boundary bool `json:"boundary,omitempty"`
}

// Outcome is what happened to a pending signal in a later turn (SW-44).
type Outcome string

// Outcomes.
const (
	OutcomeCorrected Outcome = "corrected"
	OutcomeCommitted Outcome = "committed"
	OutcomeOpen      Outcome = "open"
)

// PendingOutcome is the outcome of one earlier signal.
type PendingOutcome struct {
	ID      string  `json:"id"`
	Outcome Outcome `json:"outcome"`
	Why     string  `json:"why,omitempty"`
}

// TurnEvaluated closes a turn (DP-10).
type TurnEvaluated struct {
	Session string           `json:"session"`
	Run     string           `json:"run,omitempty"`
	Turn    int              `json:"turn"`
	Signals []string         `json:"signals"` // ids in order
	Pause   Pause            `json:"pause"`
	Pending []PendingOutcome `json:"pending,omitempty"`
	// Failed is why the turn could not be evaluated, empty if it was; such a turn is in
	// DEADLETTER.
	Failed   string        `json:"failed,omitempty"`
	Observed *Observations `json:"observed,omitempty"`
	// Ledger holds the turn's additions to the ledger of done (PD-1, PD-2).
	Ledger *LedgerChange `json:"ledger,omitempty"`
}

// Observations are what the report says about a turn besides its signals (DP-31, DP-33).
type Observations struct {
	Segments    map[SegmentKind]int `json:"segments,omitempty"`
	RedFlags    []RedFlagHit        `json:"red_flags,omitempty"`
	FilesRead   int                 `json:"files_read,omitempty"`
	FilesEdited []string            `json:"files_edited,omitempty"`
	TestsEdited int                 `json:"tests_edited,omitempty"`
	TestsAdded  int                 `json:"tests_added,omitempty"` // test cases written, less those removed; may be negative
	LinesAdded  int                 `json:"lines_added,omitempty"`
	LinesGone   int                 `json:"lines_removed,omitempty"`
	Errors      int                 `json:"errors,omitempty"`
	Refused     int                 `json:"refused,omitempty"` // tool calls that a person or a hook refused, so that they did not run
	Evicted     map[string]int      `json:"evicted,omitempty"` // registry collection → entries dropped so far (SW-10)
	Unsupported []string            `json:"unsupported,omitempty"`
	Unread      []Unread            `json:"unread,omitempty"`
	Continuity  *Continuity         `json:"continuity,omitempty"`
	Usage       *Usage              `json:"usage,omitempty"`
	NoBaseline  bool                `json:"no_baseline,omitempty"` // D1 and D2 have no baseline (SW-14)
	Agent       *Agent              `json:"agent,omitempty"`
	// Consulted lists the handover files that were read or searched (PL-20); Unguided,
	// the subagents started without a stated hypothesis. Both are set only in runs.
	Consulted []string `json:"consulted,omitempty"`
	Unguided  int      `json:"unguided,omitempty"`
	// Asked is the beginning of the session's first request, set on the turn that
	// contains it, so that people can distinguish sessions (CO-5).
	Asked      string `json:"asked,omitempty"`
	Bytes      int    `json:"bytes,omitempty"`
	StopReason string `json:"stop_reason,omitempty"` // as given by the publisher (RW-35)
}

// Unread is the number of places of an edit that a detector skipped because the edit
// requires more work than a turn may take (DP-33).
type Unread struct {
	Detector string `json:"detector"`
	Path     string `json:"path,omitempty"`
	Places   int    `json:"places"`
}

// RedFlagHit is a red-flag phrase in a PLAN segment (SW-20).
type RedFlagHit struct {
	ID       string `json:"id"` // RF01 … RF16
	Turn     int    `json:"turn,omitempty"`
	Segment  int    `json:"segment"`
	Offset   int    `json:"offset"`
	Length   int    `json:"length"`
	Sentence string `json:"sentence"`
	Thinking bool   `json:"thinking,omitempty"`
}
