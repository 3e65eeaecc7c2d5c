package attest

import (
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
)

// PredicateType is that of the statement.
const PredicateType = "https://scaffoldwatch.dev/verdict/v1"

// SchemaVersion is that of the predicate. Fields are only added within a version.
const SchemaVersion = 1

// Verdict is the predicate. It quotes nothing: no message, no code, no command.
type Verdict struct {
	SchemaVersion int          `json:"schema_version"`
	Made          time.Time    `json:"made"`
	Build         string       `json:"build"` // version of the program that made it
	Partitions    int          `json:"partitions"`
	Rules         []Rules      `json:"rules"` // that applied, by the number of decisions
	Commits       []Commit     `json:"commits"`
	Sessions      []Session    `json:"sessions"`
	Runs          []Run        `json:"runs"`
	Deciders      []Decider    `json:"deciders"` // people, in the order of their acts
	Heads         []chain.Head `json:"heads"`    // the chain's ends when it was made
	// Unknown says in sentences what is not known.
	Unknown []string `json:"not_known"`
}

// Rules identify the rules and configuration of decisions (EV-2).
type Rules struct {
	Version   string `json:"version"`
	Config    string `json:"config"`
	Decisions int    `json:"decisions"`
}

// Commit is a commit and what ties it to sessions.
type Commit struct {
	SHA string `json:"sha"`
	// Found says how: fact (infrastructure reported it), claim (an agent or orchestrator
	// did), edits (sessions edited its files before it was made), or none.
	Found  string    `json:"found"`
	Fact   string    `json:"fact,omitempty"` // id of the event
	Run    string    `json:"run,omitempty"`
	Branch string    `json:"branch,omitempty"`
	Letter string    `json:"letter,omitempty"` // of the wave agent
	Time   time.Time `json:"time,omitzero"`
	Files  []File    `json:"files"`
}

// File is a file of a commit, and who edited it before.
type File struct {
	Path  string `json:"path"`
	Edits []Edit `json:"edits"` // the last of each session; empty: nobody who was watched
}

// Edit is the last turn in which a session edited a file.
type Edit struct {
	Session string `json:"session"`
	Turn    int    `json:"turn"`

	group string // of the session, while the verdict is built
}

// Session is the verdict on one session.
type Session struct {
	ID         string      `json:"id"`
	Run        string      `json:"run,omitempty"`
	Agent      Agent       `json:"agent"`
	First      time.Time   `json:"first_event,omitzero"`
	Last       time.Time   `json:"last_event,omitzero"`
	Closed     bool        `json:"closed"`
	Turns      Turns       `json:"turns"`
	Findings   []Finding   `json:"findings"` // by turn
	Interrupts []Interrupt `json:"interrupts"`
	// Transcript is SHA-256 over the digests of the session's recorded turns, in order.
	Transcript string `json:"transcript_sha256,omitempty"`
}

// Agent is who worked.
type Agent struct {
	ID        string   `json:"id,omitempty"`
	Kind      string   `json:"kind,omitempty"`
	Archetype string   `json:"archetype,omitempty"`
	Models    []string `json:"models"` // in order of name
}

// Turns count what was watched and what was not (DP-33).
type Turns struct {
	Received   int `json:"received"`
	Watched    int `json:"watched"`
	NotWatched int `json:"not_watched"`
	Failed     int `json:"failed"`
	Skipped    int `json:"skipped"`
	Refused    int `json:"refused"`
	NoBaseline int `json:"without_baseline"` // D1 and D2 were blind
}

// Finding is one signal and its end.
type Finding struct {
	Signal   string  `json:"signal"`
	Turn     int     `json:"turn"`
	Detector string  `json:"detector"`
	Class    string  `json:"class,omitempty"`
	CWE      int     `json:"cwe,omitempty"`
	File     string  `json:"file,omitempty"`
	Line     int     `json:"line,omitempty"`
	Urgency  float64 `json:"urgency"`
	End      string  `json:"end"`            // fired, logged, suppressed, self_corrected, expired, unsent, coalesced, queued, pending
	Code     string  `json:"code,omitempty"` // why, in a word
	Times    int     `json:"times"`
}

// Interrupt is what was said, and what the agent did with it.
type Interrupt struct {
	ID        string   `json:"id"`
	Turn      int      `json:"turn"`
	Detector  string   `json:"detector"`
	Urgency   float64  `json:"urgency"`
	Signals   []string `json:"signals"`
	States    []string `json:"delivery_states"`
	Heed      string   `json:"heed"` // heeded, ignored or not_judged
	Dismissed bool     `json:"dismissed"`
}

// Run is the verdict on a run, or on a session without one that was stopped.
type Run struct {
	ID         string      `json:"id"`
	Completed  bool        `json:"completed"`
	Outcome    string      `json:"outcome,omitempty"`
	Breaks     []Break     `json:"breaks"`
	Gates      []Gate      `json:"gates"`
	Violations []Violation `json:"violations"`
	Claims     int         `json:"claims"` // facts that came without the credential they need
	// Record is SHA-256 over the ids of what DECISIONS holds of it, in order.
	Record string `json:"record_sha256"`
}

// Break is a Wiggum Break.
type Break struct {
	ID      string    `json:"id"`
	Time    time.Time `json:"time"`
	Kind    string    `json:"kind"`
	Trigger string    `json:"trigger"`
	Resumed string    `json:"resumed_by,omitempty"`
}

// Gate is the answer of a gate.
type Gate struct {
	Event    string    `json:"event"`
	Time     time.Time `json:"time"`
	Gate     string    `json:"gate"`
	Decision string    `json:"decision"`
	Rule     string    `json:"rule"`
	Decides  string    `json:"who_decides"`
}

// Violation is a broken rule of a run.
type Violation struct {
	Event string `json:"event"`
	Code  string `json:"code"`
	Rule  string `json:"rule"`
}

// Decider is an act of a person.
type Decider struct {
	Event  string    `json:"event"`
	Time   time.Time `json:"time"`
	By     string    `json:"by"`
	Act    string    `json:"act"`
	Target string    `json:"target,omitempty"`
}
