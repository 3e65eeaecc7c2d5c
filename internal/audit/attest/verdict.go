package attest

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runreport"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sessionreport"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// PredicateType identifies the predicate of the statement.
const PredicateType = "https://scaffoldwatch.dev/verdict/v1"

// SchemaVersion is the version of the predicate. Within a version, fields are only added.
const SchemaVersion = 1

// Verdict is the predicate. It quotes no message, code or command.
type Verdict struct {
	SchemaVersion int          `json:"schema_version"`
	Made          time.Time    `json:"made"`
	Build         string       `json:"build"` // version of the program that made it
	Partitions    int          `json:"partitions"`
	Rules         []Rules      `json:"rules"` // rules in force, those of the most decisions first
	Commits       []Commit     `json:"commits"`
	Sessions      []Session    `json:"sessions"`
	Runs          []Run        `json:"runs"`
	Deciders      []Decider    `json:"deciders"` // people, in the order in which they acted
	Heads         []chain.Head `json:"heads"`    // the ends of the chain when the verdict was made
	// Unknown lists, in sentences, what could not be established.
	Unknown []string `json:"not_known"`
}

// Rules identify the rules and configuration of decisions (EV-2).
type Rules struct {
	Version   string `json:"version"`
	Config    string `json:"config"`
	Decisions int    `json:"decisions"`
}

// Commit is a commit with its links to sessions.
type Commit struct {
	SHA string `json:"sha"`
	// Found is how the commit was found: fact (infrastructure reported it), claim (an agent or orchestrator
	// did), edits (sessions edited its files before it was made), or none.
	Found  string    `json:"found"`
	Fact   string    `json:"fact,omitempty"` // id of the event
	Run    string    `json:"run,omitempty"`
	Branch string    `json:"branch,omitempty"`
	Letter string    `json:"letter,omitempty"` // letter of the wave agent
	Time   time.Time `json:"time,omitzero"`
	Files  []File    `json:"files"`
}

// File is a file of a commit, with its earlier editors.
type File struct {
	Path  string `json:"path"`
	Edits []Edit `json:"edits"` // the last edit of each session; empty if no watched session edited it
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
	// Transcript is the SHA-256 of the digests of the session's recorded turns, in order.
	Transcript string `json:"transcript_sha256,omitempty"`
}

// Agent identifies an agent that worked on the session.
type Agent struct {
	ID        string   `json:"id,omitempty"`
	Kind      string   `json:"kind,omitempty"`
	Archetype string   `json:"archetype,omitempty"`
	Models    []string `json:"models"` // sorted by name
}

// Turns count what was watched and what was not (DP-33).
type Turns struct {
	Received   int `json:"received"`
	Watched    int `json:"watched"`
	NotWatched int `json:"not_watched"`
	Failed     int `json:"failed"`
	Skipped    int `json:"skipped"`
	Refused    int `json:"refused"`
	NoBaseline int `json:"without_baseline"` // D1 and D2 could not judge
}

// Finding is a signal and how it ended.
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
	Code     string  `json:"code,omitempty"` // short code of the reason
	Times    int     `json:"times"`
}

// Interrupt is what was said and how the agent reacted.
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

// Run is the verdict on a run, or on a session without a run that was stopped.
type Run struct {
	ID         string      `json:"id"`
	Completed  bool        `json:"completed"`
	Outcome    string      `json:"outcome,omitempty"`
	Breaks     []Break     `json:"breaks"`
	Gates      []Gate      `json:"gates"`
	Violations []Violation `json:"violations"`
	Claims     int         `json:"claims"` // facts without the credential that they require
	// Record is the SHA-256 of the ids of the run's events in DECISIONS, in order.
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

// Decider records an act of a person.
type Decider struct {
	Event  string    `json:"event"`
	Time   time.Time `json:"time"`
	By     string    `json:"by"`
	Act    string    `json:"act"`
	Target string    `json:"target,omitempty"`
}

// sessionOf returns the part of a session's report that is attested: no text of the transcript.
func sessionOf(m sessionreport.Model, models map[string]bool) Session {
	c := m.Coverage
	s := Session{
		ID: m.Session.ID, Run: m.Session.Run, First: m.Session.Opened.UTC(), Last: m.Session.Last.UTC(), Closed: m.Session.Closed,
		Turns: Turns{
			Received: c.Received, Watched: c.Evaluated, NotWatched: c.NotWatched, Failed: len(c.Failed), Skipped: c.Skipped,
			Refused: c.RefusedTurns, NoBaseline: c.NoBaseline,
		},
		Findings: findings(m), Interrupts: []Interrupt{},
	}
	if a := m.Session.Agent; a != nil {
		s.Agent = Agent{ID: a.ID, Kind: a.Kind, Archetype: a.Archetype}
		if a.Model != "" {
			models[a.Model] = true
		}
	}
	s.Agent.Models = append([]string{}, slices.Sorted(maps.Keys(models))...)
	for _, i := range m.Interrupts {
		said := Interrupt{
			ID: i.ID, Turn: i.Turn, Detector: i.Detector, Urgency: decimal(i.Urgency), Signals: append([]string{}, i.Signals...),
			States: []string{}, Heed: cmp.Or(i.Heed, "not_judged"), Dismissed: i.Dismissed,
		}
		for _, d := range i.Deliveries {
			said.States = append(said.States, string(d.State))
		}
		s.Interrupts = append(s.Interrupts, said)
	}
	return s
}

// findings lists every signal once, by turn.
func findings(m sessionreport.Model) []Finding {
	all, seen := []Finding{}, map[string]bool{}
	for _, f := range slices.Concat(m.Said, m.NotSent, m.Logged, m.Suppressed, m.Corrected, m.Expired, m.Pending, m.Coalesced) {
		if seen[f.Signal] {
			continue
		}
		seen[f.Signal] = true
		all = append(all, Finding{
			Signal: f.Signal, Turn: f.Turn, Detector: f.Detector, Class: string(f.Class), CWE: f.CWE, File: f.Path, Line: f.Line,
			Urgency: decimal(f.Urgency), End: f.End, Code: f.Code, Times: f.Times,
		})
	}
	slices.SortStableFunc(all, func(a, b Finding) int { return cmp.Or(cmp.Compare(a.Turn, b.Turn), cmp.Compare(a.Signal, b.Signal)) })
	return all
}

// decimal returns an urgency rounded to its one decimal place.
func decimal(u sessionevents.Urgency) float64 { return float64(u) / 10 }

// runOf returns the part of a run's report, and of the events it was derived from, that is attested.
func runOf(m runreport.Model, recorded []events.Event) Run {
	ids := sha256.New()
	for _, e := range recorded {
		fmt.Fprintln(ids, e.ID)
	}
	r := Run{
		Record: hex.EncodeToString(ids.Sum(nil)),
		ID:     m.Run.ID, Completed: m.Run.Completed, Outcome: m.Run.Outcome, Breaks: []Break{}, Gates: []Gate{}, Violations: []Violation{},
	}
	for _, b := range m.Breaks {
		out := Break{ID: b.ID, Time: b.Time.UTC(), Kind: string(b.Kind), Trigger: string(b.Trigger)}
		if b.Resumed != nil {
			out.Resumed = b.Resumed.By
		}
		r.Breaks = append(r.Breaks, out)
	}
	for _, g := range m.Gates {
		r.Gates = append(r.Gates, Gate{
			Event: g.Event, Time: g.Time.UTC(), Gate: string(g.Gate), Decision: string(g.Decision), Rule: g.Rule, Decides: string(g.WhoDecides),
		})
	}
	for _, v := range m.Violations {
		r.Violations = append(r.Violations, Violation{Event: v.Event, Code: v.Code, Rule: v.Rule})
	}
	for _, c := range m.Coverage.Claims {
		r.Claims += c.Count
	}
	return r
}
