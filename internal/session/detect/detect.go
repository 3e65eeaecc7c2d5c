// Package detect is the framework in which detectors run: a detector is a value with its
// documentation, a Pass is one turn as a detector sees it (SW-30 … SW-32).
package detect

import (
	"cmp"
	"slices"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/syntax"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/ledger"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Detector is one documented detector.
type Detector struct {
	ID    string // spec id: "B1"; a user's own rule: "U-no-print"
	Name  string // package name: "hardcodedsecret"
	Class sessionevents.Class
	Title string // one line
	// Doc is the embedded doc.md: trigger, validators, scoring, examples,
	// precision. `rules explain`, the docs and the page show this text (SW-32).
	Doc string
	// Rules are the spec rules it implements, e.g. "B1", "SW-40".
	Rules []string
	// Mode is set if the detector has its own mode, as a user's rule does; "" means the
	// mode of the section `detectors` (DP-25).
	Mode rules.Mode
	// New returns a running instance for the rule data.
	New func(*rules.Set) (Instance, error)
}

// ModeIn returns the mode in which the detector runs under a set of rules.
func (d *Detector) ModeIn(set *rules.Set) rules.Mode {
	if d.Mode != "" {
		return d.Mode
	}
	return set.Mode(d.ID)
}

// Instance is a detector with its data. It holds no per-session state.
type Instance interface {
	// NewState returns a pointer to the detector's per-session state, which
	// must survive encoding/json and stay bounded; nil for none.
	NewState() any
	// Run evaluates one turn.
	Run(*Pass) []Finding
	// Judge returns the outcome of an earlier signal of this detector, given the turn in p (SW-44).
	Judge(p *Pass, s *sessionevents.Signal) (sessionevents.Outcome, string)
}

// Pass is one turn as a detector sees it.
type Pass struct {
	Turn *sessionevents.TurnSegmented
	// Before is the registry before this turn, Additions holds the turn's additions
	// (SW-11).
	Before    *registry.Registry
	Additions *registry.Turn
	// Ledger is the ledger of done before and after this turn, with the turn's additions
	// (PD-1).
	Ledger *ledger.Turn
	// State is the state from NewState for this session. In Judge it is the state before
	// this turn.
	State any
	// At is the turn's time according to its publisher, zero if not given. It is part of
	// the event, so a replay sees the same time.
	At time.Time
	// Reports is set if the primary reports a piece of work as done in this turn (DP-16,
	// DP-11).
	Reports bool
	// Peers are the group's other sessions in order of id: duplicates across the sessions
	// of a run count for A1 and A3, whose subject names the other session (SW-1).
	// Read-only.
	Peers []Peer
	// Reader reads code for the detectors, so that each piece is parsed once per turn.
	// Nil caches nothing.
	Reader *syntax.Reader
	// Record is the record of the turn if not all detectors run again. Nil evaluates all
	// of them.
	Record *Recorded

	detector string
	unread   *[]sessionevents.Unread
}

// Unread records how many places of a segment the detector skipped (DP-33).
func (p *Pass) Unread(s *sessionevents.Segment, places int) {
	if places > 0 && p.unread != nil {
		*p.unread = append(*p.unread, sessionevents.Unread{Detector: p.detector, Path: s.Path, Places: places})
	}
}

// Report returns the final message of a turn without tool calls, which ends the response;
// nil while the response continues.
func (p *Pass) Report() *sessionevents.Segment {
	var last *sessionevents.Segment
	for i := range p.Turn.Segments {
		s := &p.Turn.Segments[i]
		if s.Tool != nil {
			return nil
		}
		if s.Kind == sessionevents.SegmentPlan && !s.Thinking {
			last = s
		}
	}
	return last
}

// Peer is another session of the same run.
type Peer struct {
	Session  string
	Registry *registry.Registry
}

// Baseline returns the scope in effect in this turn: the previous one, extended by the
// turn's own user messages (SW-14).
func (p *Pass) Baseline() *registry.Baseline {
	if p.Additions != nil && p.Additions.Baseline.Known {
		return &p.Additions.Baseline
	}
	return &p.Before.Baseline
}

// Finding is a signal before scoring.
type Finding struct {
	Subclass    string
	CWE         int // class B: 89 is CWE-89; 0 for none
	Subject     string
	Confidence  float64
	ReworkCost  int     // 1–5
	SelfCorrect float64 // P(self-corrects)
	Floor       sessionevents.Urgency
	Cap         sessionevents.Urgency // 0: none; LogOnly otherwise
	Forced      bool
	Escalate    bool
	// Final is set if the response ends here, so that a signal after a grace turn would
	// be too late (DP-12, E1).
	Final bool
	// Suppressed is the reason why the signal is recorded but not dispatched (SW-40 … SW-42).
	Suppressed string
	// WeighsRequest is set if the finding is about the content of the user's request, so
	// that words shared with the message do not make it user-directed (SW-42).
	WeighsRequest bool
	Streak        int
	// Leads is set if, among several detectors that found the same thing, this one has
	// the better name and message although another has precedence (SW-41a).
	Leads bool
	// Basis is what the finding rests on, set if the detector knows more than the rule
	// data (JD-1).
	Basis []sessionevents.Ground
	// Withheld is set by the suite: the finding is only logged because of its basis (JD-2).
	Withheld string
	Evidence []sessionevents.Evidence
	Message  string // ≤ 40 words
	Reason   string
	Fix      string // the alternative, without the place; "" for none
}

// LogOnly is the cap that keeps a signal below the queue (SW-30).
const LogOnly sessionevents.Urgency = 19

// Recorded is the record of a turn. Detectors whose rules do not differ are not run
// again: their signals and outcomes are taken from the record (AU-20).
type Recorded struct {
	Again   []string // detectors that run again, whose recorded results are ignored
	Signals []sessionevents.Signal
	Closed  *sessionevents.TurnEvaluated
}

// keeps reports whether the recorded results of a detector are used.
func (r *Recorded) keeps(detector string) bool {
	return r != nil && !slices.Contains(r.Again, detector)
}

// outcome returns the recorded outcome of an open signal. It is unknown if the recorded
// evaluator had dropped the signal because too many were open.
func (r *Recorded) outcome(id string) (outcome sessionevents.PendingOutcome, known bool) {
	at := slices.IndexFunc(r.Closed.Pending, func(p sessionevents.PendingOutcome) bool { return p.ID == id })
	if at < 0 {
		return outcome, false
	}
	return r.Closed.Pending[at], true
}

// join merges the recorded results with the detectors' findings, in the order of a whole
// suite.
func (r *Recorded) join(result *Result) {
	if r == nil {
		return
	}
	found := result.Signals
	result.Signals = nil
	for i := range r.Signals {
		if r.keeps(r.Signals[i].Detector) {
			result.Signals = append(result.Signals, r.Signals[i])
		}
	}
	result.Signals = append(result.Signals, found...)
	slices.SortStableFunc(result.Signals, func(a, b sessionevents.Signal) int { return cmp.Compare(a.Detector, b.Detector) })
	if r.Closed.Observed == nil {
		return
	}
	for _, u := range r.Closed.Observed.Unread {
		if r.keeps(u.Detector) {
			result.Unread = append(result.Unread, u)
		}
	}
	slices.SortStableFunc(result.Unread, func(a, b sessionevents.Unread) int { return cmp.Compare(a.Detector, b.Detector) })
}

// Again returns the detectors whose findings may differ between s and other: their own
// sections of the rules or their modes differ, or they may find the same thing as such a
// detector (SW-41a).
func (s *Suite) Again(other *Suite, differs func(section string) bool) (ids []string) {
	modes := func(of *Suite) map[string]rules.Mode {
		all := map[string]rules.Mode{}
		for _, e := range of.entries {
			all[e.detector.ID] = e.mode
		}
		return all
	}
	was, is := modes(s), modes(other)
	for _, e := range slices.Concat(s.entries, other.entries) {
		id := e.detector.ID
		if was[id] != is[id] || slices.ContainsFunc(e.sections, differs) {
			ids = append(ids, id)
		}
	}
	if slices.ContainsFunc(ids, func(id string) bool { return slices.Contains(precedence, id) }) {
		ids = append(ids, precedence...)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}
