package backtestreport

import (
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// SchemaVersion is that of the JSON form.
const SchemaVersion = 1

// Model is the comparison of what two sets of rules decide of the same input.
type Model struct {
	SchemaVersion int                `json:"schema_version"`
	Source        string             `json:"source"` // where the input was read from
	From          time.Time          `json:"from"`   // of the first turn
	To            time.Time          `json:"to"`
	Present       Rules              `json:"present"`
	Given         Rules              `json:"given"`
	Settings      []rules.Difference `json:"settings"` // that the two have in different values
	Sessions      int                `json:"sessions"`
	Turns         int                `json:"turns"`
	Changed       int                `json:"sessions_changed"`
	// Heard counts the present interrupts that are reported as delivered to an agent.
	Heard int `json:"heard"`
	// Interrupts are those under the present and under the given rules.
	Interrupts Pair       `json:"interrupts"`
	Effects    []Effect   `json:"effects"`
	Detectors  []Detector `json:"detectors"`
	Changes    []Change   `json:"changes"`
	Series     []Point    `json:"series"`
	Notes      []string   `json:"notes,omitempty"`
	Sweep      *Sweep     `json:"sweep,omitempty"`
}

// Rules identify one side.
type Rules struct {
	Name    string `json:"name"` // file, or what they are
	Version string `json:"version"`
	Hash    string `json:"hash"`
}

// Pair is a figure under the present and under the given rules.
type Pair struct {
	Present int `json:"present"`
	Given   int `json:"given"`
}

// Effect is a total, such as the entries of the queue.
type Effect struct {
	Name string `json:"name"`
	Pair
}

// Kind is what was decided.
type Kind string

// Kinds of decisions that are compared.
const (
	KindFire       Kind = "fire"       // an interrupt, at once or from the queue
	KindQueue      Kind = "queue"      // a signal that waits for a pause
	KindSignal     Kind = "signal"     // a finding of a detector
	KindBreak      Kind = "break"      // a run or session that is broken off
	KindGate       Kind = "gate"       // the answer of a gate
	KindViolation  Kind = "violation"  // of a protocol
	KindWarning    Kind = "warning"    // about one
	KindCorrection Kind = "correction" // of an agent of a run
	KindEscalation Kind = "escalation" // to a person
)

// Kinds lists all kinds in the order they are shown.
func Kinds() []Kind {
	return []Kind{KindFire, KindQueue, KindBreak, KindGate, KindViolation, KindWarning, KindCorrection, KindEscalation, KindSignal}
}

// Way is how a decision differs.
type Way string

// Ways.
const (
	Gained Way = "gained" // only under the given rules
	Lost   Way = "lost"   // only under the present ones
	Moved  Way = "moved"  // another time, urgency or answer
)

// Outcome is what followed an interrupt.
type Outcome string

// Outcomes.
const (
	Heeded    Outcome = "heeded"
	Ignored   Outcome = "ignored"
	Dismissed Outcome = "dismissed"
)

// Change is one decision that differs.
type Change struct {
	Way      Way    `json:"way"`
	Kind     Kind   `json:"kind"`
	Group    string `json:"group"` // session, or run where it is about one
	Turn     int    `json:"turn,omitempty"`
	Detector string `json:"detector"` // or rule, gate, trigger
	About    string `json:"about,omitempty"`
	Was      string `json:"was,omitempty"` // under the present rules
	Is       string `json:"is,omitempty"`  // under the given rules
	Message  string `json:"message,omitempty"`
	Evidence string `json:"evidence,omitempty"`
	// Outcome is what the record shows after it. Of an interrupt that no agent is
	// reported to have heard, it is what the agent did unprompted.
	Outcome Outcome `json:"outcome,omitempty"`
	Heard   bool    `json:"heard,omitempty"`
	// Depends marks what comes after another change of the same session: it assumes
	// that the agent, who was told otherwise, did the same as recorded.
	Depends bool `json:"depends,omitempty"`
}

// Detector sums the interrupts of one detector.
type Detector struct {
	ID         string `json:"id"`
	Interrupts Pair   `json:"interrupts"`
	Signals    Pair   `json:"signals"`
	Gained     int    `json:"gained"`
	Lost       int    `json:"lost"`
	Moved      int    `json:"moved"`
	Present    Tally  `json:"present"`     // outcomes of the present interrupts
	GainedThen Tally  `json:"gained_then"` // what followed those gained, unheard
	LostThen   Tally  `json:"lost_then"`
	Verdict    string `json:"verdict"`
}

// Tally counts outcomes.
type Tally struct {
	Heeded    int `json:"heeded"`
	Ignored   int `json:"ignored"`
	Dismissed int `json:"dismissed"`
	Open      int `json:"open"`  // without a judgement
	Heard     int `json:"heard"` // reported as delivered
}

// Total is the number of interrupts.
func (t Tally) Total() int { return t.Heeded + t.Ignored + t.Dismissed + t.Open }

// Add counts one interrupt.
func (t *Tally) Add(outcome Outcome, heard bool) {
	switch outcome {
	case Heeded:
		t.Heeded++
	case Ignored:
		t.Ignored++
	case Dismissed:
		t.Dismissed++
	default:
		t.Open++
	}
	if heard {
		t.Heard++
	}
}

// Point is one session of the sparkline.
type Point struct {
	Session string `json:"session"`
	Pair
}

// Sweep is a table over the values of one or two settings.
type Sweep struct {
	Settings []string `json:"settings"`
	Rows     []Row    `json:"rows"`
}

// Row is one point of a sweep.
type Row struct {
	Values     []float64 `json:"values"`
	Present    bool      `json:"present,omitempty"` // the values in force
	Interrupts int       `json:"interrupts"`
	PerSession float64   `json:"per_session"`
	FromQueue  int       `json:"from_queue"`
	Queued     int       `json:"queued"`
	Exhausted  int       `json:"budget_exhausted"` // sessions
	Breaks     int       `json:"breaks"`
	Gained     int       `json:"gained"`
	Lost       int       `json:"lost"`
	// Kept are the outcomes of interrupts that were made under the present rules too,
	// New of those that were not: unheard.
	Kept Tally `json:"kept"`
	New  Tally `json:"new"`
}

// Share returns the part of the judged interrupts that were heeded, and that were
// dismissed; ok is false where none was judged.
func (r Row) Share() (heeded, dismissed float64, ok bool) {
	judged := r.Kept.Heeded + r.Kept.Ignored + r.Kept.Dismissed + r.New.Heeded + r.New.Ignored
	if judged == 0 {
		return 0, 0, false
	}
	return float64(r.Kept.Heeded+r.New.Heeded) / float64(judged), float64(r.Kept.Dismissed) / float64(judged), true
}
