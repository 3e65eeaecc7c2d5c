package budget

import (
	"maps"
	"slices"
	"time"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// State is the dispatcher's state of a group: its sessions by id, and the mutes that also apply to
// future sessions.
type State struct {
	Group string `json:"group"`
	// Seen counts the sessions' events; it orders sessions by their last event.
	Seen     int                 `json:"seen,omitempty"`
	Sessions map[string]*Session `json:"sessions"`
	Mutes    []Mute              `json:"mutes,omitempty"`
}

// Session is one session's dispatch state. It changes only through [Evolve].
// The signals it points to are never changed.
type Session struct {
	ID       string `json:"id"`
	Run      string `json:"run,omitempty"`
	Instance string `json:"instance,omitempty"` // what interrupts are bound to (DP-20)
	Turn     int    `json:"turn"`               // the last closed turn
	Closed   bool   `json:"closed,omitempty"`
	Heard    int    `json:"heard,omitempty"` // State.Seen at its last event

	Budget   int `json:"budget"`
	LastFire int `json:"last_fire,omitempty"` // turn; 0 never
	Noted    int `json:"noted,omitempty"`     // number in the last budget.exhausted (DP-15)
	// Delivered counts the deliveries from the queue by detector class (DP-17, JD-44).
	Delivered map[sessionevents.Class]int `json:"delivered_by,omitempty"`

	Collected []*sessionevents.Signal `json:"collected,omitempty"` // of a turn that is not closed yet (DP-10)
	Pending   []*sessionevents.Signal `json:"pending,omitempty"`   // in their grace turn (DP-12)
	Watched   []*sessionevents.Signal `json:"watched,omitempty"`   // below the queue threshold, until the primary commits to them (DP-11)
	Queue     []Entry                 `json:"queue,omitempty"`     // in order of delivery (DP-17)

	Fired   []Fired  `json:"fired,omitempty"` // oldest first
	Streaks []Streak `json:"streaks,omitempty"`
	Mutes   []Mute   `json:"mutes,omitempty"`

	Disregards []Disregard `json:"disregards,omitempty"`
	// Backed holds the signals that a model found as well, with the resulting urgency
	// (AD-3).
	Backed map[string]sessionevents.Urgency `json:"backed,omitempty"`
	// Added counts the models' own findings that were sent.
	Added int `json:"added,omitempty"`
	// Vouched are the latest models' findings that were confirmed when asked again
	// (AD-3).
	Vouched []string `json:"vouched,omitempty"`
}

// Entry is a queued signal with the signals of the same cause folded in (DP-17).
type Entry struct {
	Signal    *sessionevents.Signal     `json:"signal"`           // the first one queued
	Latest    *sessionevents.Signal     `json:"latest,omitempty"` // the last one folded in
	Urgency   sessionevents.Urgency     `json:"urgency"`          // the highest of all
	Reason    sessionevents.QueueReason `json:"reason"`           // why that one did not fire
	Forced    bool                      `json:"forced,omitempty"`
	Cooled    bool                      `json:"cooled,omitempty"` // held by the cooldown; needs no pause (DP-14)
	Committed bool                      `json:"committed,omitempty"`
	Count     int                       `json:"count"`
	Since     int                       `json:"since"` // turn in which it was queued or last grew
	From      int                       `json:"from"`  // turn in which it was first queued (DP-16)
}

// Fired is an interrupt that was sent and may still be judged or refunded.
type Fired struct {
	ID       string `json:"id"`
	Turn     int    `json:"turn"`
	Detector string `json:"detector"`
	Charged  bool   `json:"charged,omitempty"`  // it used a unit of the budget that has not been refunded
	Settled  bool   `json:"settled,omitempty"`  // nothing is left to judge
	Ignoring bool   `json:"ignoring,omitempty"` // at least one later turn left it open
	Heard    int    `json:"heard,omitempty"`    // turn in which its delivery was first reported, 0 if it was not
	Channel  string `json:"channel,omitempty"`  // of that delivery
	Subject  string `json:"subject,omitempty"`  // of its first signal
	Signal   string `json:"signal,omitempty"`   // id of its first signal
	Advice   string `json:"advice,omitempty"`   // the next step that it suggested (JD-42)
	Followed bool   `json:"followed,omitempty"` // its subject was corrected since
	// Open holds, for each finding, the ids whose correction would heed it.
	Open [][]string `json:"open,omitempty"`
}

// Mute silences signals until a turn or a time (DP-25).
type Mute struct {
	Scope     runevents.MuteScope `json:"scope" yaml:"scope" allow:"detector|subject|session|project"`
	Detector  string              `json:"detector,omitempty" yaml:"detector"`
	Subject   string              `json:"subject,omitempty" yaml:"subject"`
	Reason    string              `json:"reason,omitempty" yaml:"reason"`
	By        string              `json:"by,omitempty" yaml:"by"`
	UntilTurn int                 `json:"until_turn,omitempty" yaml:"-"` // last muted turn; 0: not limited by turns
	Until     time.Time           `json:"until,omitzero" yaml:"until"`   // zero: not limited by time
	// Workspace limits a mute of the rules to sessions that work in this folder or below it (CO-7, ADR 80).
	Workspace string `json:"workspace,omitempty" yaml:"workspace"`
}

// makeRoom drops closed sessions beyond limit, the longest silent first; a session with
// waiting signals is never dropped (DP-18).
func (s *State) makeRoom(limit int, but string) {
	for len(s.Sessions) > limit {
		oldest := ""
		for _, id := range slices.Sorted(maps.Keys(s.Sessions)) {
			session := s.Sessions[id]
			if id == but || !session.Closed || session.waiting() {
				continue
			}
			if oldest == "" || session.Heard < s.Sessions[oldest].Heard {
				oldest = id
			}
		}
		if oldest == "" {
			return
		}
		delete(s.Sessions, oldest)
	}
}

func (s *Session) waiting() bool {
	return len(s.Collected)+len(s.Pending)+len(s.Watched)+len(s.Queue) > 0
}

// clone returns a copy of what Evolve may change; signals and evidence are shared.
func (s *Session) clone() *Session {
	c := *s
	c.Collected = slices.Clone(s.Collected)
	c.Pending = slices.Clone(s.Pending)
	c.Watched = slices.Clone(s.Watched)
	c.Queue = slices.Clone(s.Queue)
	c.Fired = slices.Clone(s.Fired)
	for i := range c.Fired {
		c.Fired[i].Open = slices.Clone(c.Fired[i].Open)
	}
	c.Streaks = slices.Clone(s.Streaks)
	c.Delivered = maps.Clone(s.Delivered)
	c.Disregards = slices.Clone(s.Disregards)
	c.Backed = maps.Clone(s.Backed)
	c.Vouched = slices.Clone(s.Vouched)
	c.Mutes = slices.Clone(s.Mutes)
	return &c
}

// firedIn reports whether an interrupt was sent in turn (DP-13).
func (s *Session) firedIn(turn int) bool { return s.LastFire > 0 && s.LastFire == turn }

// cooldownOver reports whether a non-security fire is possible in turn (DP-14).
func (s *Session) cooldownOver(turn, cooldown int) bool {
	return s.LastFire == 0 || turn-s.LastFire >= cooldown
}

// forget drops a signal from wherever it is waiting; it is in one place only (DP-18).
func (s *Session) forget(id string) {
	is := func(signal *sessionevents.Signal) bool { return signal.ID == id }
	s.Collected = slices.DeleteFunc(s.Collected, is)
	s.Pending = slices.DeleteFunc(s.Pending, is)
	s.Watched = slices.DeleteFunc(s.Watched, is)
	s.Queue = slices.DeleteFunc(s.Queue, func(e Entry) bool { return e.Signal.ID == id })
	delete(s.Backed, id)
}

// knows reports whether a signal is waiting in this session.
func (s *Session) knows(id string) bool {
	is := func(signal *sessionevents.Signal) bool { return signal.ID == id }
	return slices.ContainsFunc(s.Collected, is) || slices.ContainsFunc(s.Pending, is) ||
		slices.ContainsFunc(s.Watched, is) || slices.ContainsFunc(s.Queue, func(e Entry) bool { return e.Signal.ID == id })
}
