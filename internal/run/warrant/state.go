package warrant

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// State holds the breaks of a run. It is empty for a run that never broke.
type State struct {
	Clock     int     `json:"clock,omitempty"` // counts and orders the facts below
	Breaks    []Break `json:"breaks,omitempty"`
	Completed string  `json:"completed,omitempty"` // event of run.completed, "" while the run continues
	Ended     int     `json:"ended,omitempty"`     // Clock at run.completed
	Outcome   string  `json:"outcome,omitempty"`
}

// Break is a wiggum.break with its outcome.
type Break struct {
	ID         string                 `json:"id"`
	Kind       runevents.BreakKind    `json:"kind"`
	Trigger    runevents.BreakTrigger `json:"trigger"`
	Scope      runevents.Scope        `json:"scope,omitempty"`
	Subject    string                 `json:"subject"` // run or session
	At         int                    `json:"at"`      // Clock at the break
	UpgradedBy string                 `json:"upgraded_by,omitempty"`
	// Again is the first note of the same trigger while it was open.
	Again     *Noted              `json:"again,omitempty"`
	Resumed   *runevents.Resume   `json:"resumed,omitempty"`
	ResumedAt int                 `json:"resumed_at,omitempty"` // Clock at the resume, 0 if it was not resumed
	Recovery  *runevents.Recovery `json:"recovery,omitempty"`   // WP-2
	Reverted  string              `json:"reverted,omitempty"`   // the event that reverted the broken merge (RW-30)
	Ignored   []string            `json:"halt_ignored,omitempty"`
	Closed    string              `json:"closed,omitempty"` // session.closed of its session
	// Said is the judgement emitted last.
	Said runevents.BreakJudged `json:"said"`
}

// Noted is a trigger that was recorded on an open break.
type Noted struct {
	Event  string `json:"event"`
	Reason string `json:"reason"`
}

// Apply folds the results of one event, in the order of DECISIONS, and returns the breaks
// whose outcome changed.
func (c *Config) Apply(s *State, list []events.Event) []runevents.BreakJudged {
	changed := false
	for i := range list {
		changed = c.fold(s, &list[i]) || changed
	}
	if !changed {
		return nil
	}
	var out []runevents.BreakJudged
	for i := range s.Breaks {
		b := &s.Breaks[i]
		now := runevents.BreakJudged{Break: b.ID, Resumed: b.Resumed, Recovery: b.Recovery, Reverted: b.Reverted, Warrant: c.judge(s, b)}
		if !same(&now, &b.Said) {
			b.Said = now
			out = append(out, now)
		}
	}
	return out
}

// same reports whether the judgement is unchanged; the outcome of a break is set
// once.
func same(a, b *runevents.BreakJudged) bool {
	return a.Break == b.Break && a.Warrant.Basis == b.Warrant.Basis && slices.Equal(a.Warrant.Evidence, b.Warrant.Evidence) &&
		(a.Resumed == nil) == (b.Resumed == nil) && (a.Recovery == nil) == (b.Recovery == nil) && a.Reverted == b.Reverted
}

// fold folds one event and reports whether a verdict may have changed.
func (c *Config) fold(s *State, ev *events.Event) bool {
	if d, is := ev.Data.(*runevents.WiggumBreak); is {
		return c.broke(s, ev, d)
	}
	if len(s.Breaks) == 0 {
		return false
	}
	switch d := ev.Data.(type) {
	case *runevents.BreakNoted:
		return c.noted(s, ev, d)
	case *runevents.HaltIgnored:
		return c.haltIgnored(s, ev, d)
	case *runevents.ControlChanged:
		return c.control(s, ev, d)
	case *sessionevents.SessionClosed:
		return s.closed(ev, d)
	case *runevents.RunStarted, *runevents.RunResumed:
		if claimed(ev) || s.Completed == "" {
			return false
		}
		s.Completed, s.Outcome = "", "" // it continues after its end
		return true
	case *runevents.RunCompleted:
		s.Completed, s.Ended, s.Outcome = ev.ID, s.tick(), c.short(d.Outcome)
		return true
	case *runevents.GitCommit:
		return s.reverted(ev, d)
	case *runevents.RecoverySelected:
		return c.recovered(s, ev, d)
	}
	return false
}

// claimed reports whether a fact lacks the credential that its type requires (EV-10).
func claimed(ev *events.Event) bool {
	d, _ := events.Lookup(ev.Type)
	return (d.Role == events.RoleOperator || d.Role == events.RoleInfra) && ev.Credential != d.Role
}

func (s *State) tick() int {
	s.Clock++
	return s.Clock
}

func (c *Config) broke(s *State, ev *events.Event, d *runevents.WiggumBreak) bool {
	for i := range s.Breaks {
		if d.Upgrades != "" && s.Breaks[i].ID == d.Upgrades {
			s.Breaks[i].UpgradedBy = ev.ID
		}
	}
	if len(s.Breaks) < c.Kept.Breaks {
		s.Breaks = append(s.Breaks, Break{ID: ev.ID, Kind: d.Kind, Trigger: d.Trigger, Scope: d.Scope, Subject: ev.Subject, At: s.tick()})
	}
	return true
}

func (c *Config) noted(s *State, ev *events.Event, d *runevents.BreakNoted) bool {
	b := s.find(d.Break)
	if b == nil || b.Again != nil || d.Trigger != b.Trigger {
		return false
	}
	b.Again = &Noted{Event: ev.ID, Reason: c.short(d.Reason)}
	return true
}

// maxIgnored bounds the evidence of one break.
const maxIgnored = 20

func (c *Config) haltIgnored(s *State, ev *events.Event, d *runevents.HaltIgnored) bool {
	b := s.find(d.Break)
	if b == nil || len(b.Ignored) >= maxIgnored {
		return false
	}
	b.Ignored = append(b.Ignored, ev.ID)
	return true
}

func (s *State) find(id string) *Break {
	i := slices.IndexFunc(s.Breaks, func(b Break) bool { return b.ID == id })
	if i < 0 {
		return nil
	}
	return &s.Breaks[i]
}

// control folds a control state: a key that runs again without an open break was resumed
// (RW-34).
func (c *Config) control(s *State, ev *events.Event, d *runevents.ControlChanged) (changed bool) {
	if d.Ended || d.State != runevents.ControlRunning || d.Break != "" {
		return false
	}
	for i := range s.Breaks {
		b := &s.Breaks[i]
		if b.Subject != ev.Subject || b.ResumedAt > 0 || b.UpgradedBy != "" {
			continue
		}
		if !changed {
			s.tick()
		}
		b.ResumedAt, changed = s.Clock, true
		b.Resumed = &runevents.Resume{Event: ev.CausationID, Time: ev.Time.UTC(), By: c.short(d.Who), Why: c.short(d.Why)}
	}
	return changed
}

func (s *State) closed(ev *events.Event, d *sessionevents.SessionClosed) (changed bool) {
	id := d.Session
	if id == "" {
		id = ev.Subject
	}
	for i := range s.Breaks {
		if b := &s.Breaks[i]; b.Scope == runevents.ScopeSession && b.Subject == id {
			b.Closed, changed = ev.ID, true
		}
	}
	return changed
}

// reverted records that infrastructure saw the revert of the broken merge (RW-30).
func (s *State) reverted(ev *events.Event, d *runevents.GitCommit) (changed bool) {
	if claimed(ev) || d.Blocked || d.Purpose != "revert" && !strings.HasPrefix(strings.ToLower(d.Message), "revert") {
		return false
	}
	for i := range s.Breaks {
		if b := &s.Breaks[i]; b.Trigger == runevents.TriggerBrokenSuite && b.ResumedAt == 0 && b.Reverted == "" {
			b.Reverted, changed = ev.ID, true
		}
	}
	return changed
}

// recovered folds a person's choice after a failure of isolation (WP-2).
func (c *Config) recovered(s *State, ev *events.Event, d *runevents.RecoverySelected) (changed bool) {
	if claimed(ev) {
		return false
	}
	for i := range s.Breaks {
		if b := &s.Breaks[i]; b.ResumedAt == 0 && b.Recovery == nil && b.UpgradedBy == "" && b.Scope != runevents.ScopeSession {
			b.Recovery, changed = &runevents.Recovery{Event: ev.ID, Option: d.Option, By: c.short(d.By), Why: c.short(d.Why)}, true
		}
	}
	return changed
}

// endedAfter reports whether the run was completed after that moment.
func (s *State) endedAfter(moment int) bool { return s.Completed != "" && s.Ended > moment }
