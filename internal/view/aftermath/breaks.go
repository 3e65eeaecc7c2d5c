package aftermath

import (
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Break is a Wiggum Break with what came of it.
type Break struct {
	ID         string                 `json:"id"`
	Time       time.Time              `json:"time"`
	Kind       runevents.BreakKind    `json:"kind"`
	Trigger    runevents.BreakTrigger `json:"trigger"`
	Scope      string                 `json:"scope,omitempty"`
	Subject    string                 `json:"subject"`               // run or session
	At         int                    `json:"at"`                    // State.Seen when it came
	UpgradedBy string                 `json:"upgraded_by,omitempty"` // id of the hard break that took its place
	Noted      []Noted                `json:"noted,omitempty"`       // triggers while it was open
	Resumed    *Resume                `json:"resumed,omitempty"`
	ResumedAt  int                    `json:"resumed_at,omitempty"` // State.Seen; 0: it was not
	Recovery   *Choice                `json:"recovery,omitempty"`   // WP-2
	Reverted   string                 `json:"reverted,omitempty"`   // event that took the broken merge back (RW-30)
	Ignored    []string               `json:"halt_ignored,omitempty"`
	Closed     string                 `json:"closed,omitempty"` // session.closed of its session
}

// Noted is a trigger that was recorded on an open break.
type Noted struct {
	Event   string                 `json:"event"`
	Kind    runevents.BreakKind    `json:"kind"`
	Trigger runevents.BreakTrigger `json:"trigger"`
	Reason  string                 `json:"reason"`
}

// Resume says who let a run or session go on, and why (RW-34).
type Resume struct {
	Event string    `json:"event"`
	Time  time.Time `json:"time"`
	By    string    `json:"by,omitempty"`
	Why   string    `json:"why,omitempty"`
}

// Choice is the recovery that a person chose (WP-2).
type Choice struct {
	Event  string `json:"event"`
	Option int    `json:"option"`
	By     string `json:"by,omitempty"`
	Why    string `json:"why,omitempty"`
}

func (s *State) broke(settings *Settings, ev events.Event, d *runevents.WiggumBreak) {
	for i := range s.Breaks {
		if d.Upgrades != "" && s.Breaks[i].ID == d.Upgrades {
			s.Breaks[i].UpgradedBy = ev.ID
		}
	}
	if s.room(settings, len(s.Breaks)) {
		s.Breaks = append(s.Breaks, Break{
			ID: ev.ID, Time: ev.Time.UTC(), Kind: d.Kind, Trigger: d.Trigger, Scope: d.Scope, Subject: ev.Subject, At: s.Seen,
		})
	}
}

func (s *State) noted(settings *Settings, ev events.Event, d *runevents.BreakNoted) {
	for i := range s.Breaks {
		if b := &s.Breaks[i]; b.ID == d.Break && s.room(settings, len(b.Noted)) {
			b.Noted = append(b.Noted, Noted{Event: ev.ID, Kind: d.Kind, Trigger: d.Trigger, Reason: settings.Short(d.Reason)})
		}
	}
}

func (s *State) haltIgnored(settings *Settings, ev events.Event, d *runevents.HaltIgnored) {
	for i := range s.Breaks {
		if b := &s.Breaks[i]; b.ID == d.Break && s.room(settings, len(b.Ignored)) {
			b.Ignored = append(b.Ignored, ev.ID)
		}
	}
}

// control: what runs again without a break behind it was resumed (RW-34).
func (s *State) control(settings *Settings, ev events.Event, d *runevents.ControlChanged) {
	if d.Ended || d.State != runevents.ControlRunning || d.Break != "" {
		return
	}
	for i := range s.Breaks {
		if b := &s.Breaks[i]; b.Subject == ev.Subject && b.ResumedAt == 0 && b.UpgradedBy == "" {
			b.ResumedAt = s.Seen
			b.Resumed = &Resume{Event: ev.CausationID, Time: ev.Time.UTC(), By: settings.Short(d.Who), Why: settings.Short(d.Why)}
		}
	}
}

func (s *State) closed(ev events.Event, d *sessionevents.SessionClosed) {
	id := d.Session
	if id == "" {
		id = ev.Subject
	}
	for i := range s.Breaks {
		if b := &s.Breaks[i]; b.Scope == runevents.ScopeSession && b.Subject == id {
			b.Closed = ev.ID
		}
	}
}

// Reverts reports a commit that takes a merge back.
func Reverts(d *runevents.GitCommit) bool {
	return !d.Blocked && (d.Purpose == "revert" || strings.HasPrefix(strings.ToLower(d.Message), "revert"))
}

// reverted notes that infrastructure saw the broken merge taken back (RW-30).
func (s *State) reverted(ev events.Event, d *runevents.GitCommit) {
	if !Reverts(d) {
		return
	}
	for i := range s.Breaks {
		if b := &s.Breaks[i]; b.Trigger == runevents.TriggerBrokenSuite && b.ResumedAt == 0 && b.Reverted == "" {
			b.Reverted = ev.ID
		}
	}
}

// recovered is a person's choice after a failure of isolation (WP-2).
func (s *State) recovered(settings *Settings, ev events.Event, d *runevents.RecoverySelected) {
	for i := range s.Breaks {
		if b := &s.Breaks[i]; b.ResumedAt == 0 && b.Recovery == nil && b.UpgradedBy == "" && b.Scope != runevents.ScopeSession {
			b.Recovery = &Choice{Event: ev.ID, Option: d.Option, By: settings.Short(d.By), Why: settings.Short(d.Why)}
		}
	}
}
