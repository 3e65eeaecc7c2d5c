package runreport

import (
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// course folds what the run reports of itself.
type course struct{ *Fold }

// runEvent folds a fact of the run, or a claim of one.
func (f course) runEvent(ev events.Event, described events.Descriptor) {
	f.ran = true
	f.run.Events++
	f.coverage.heard(ev)
	if Claimed(ev, described) {
		f.coverage.claim(ev)
		return // told, not a fact (EV-10)
	}
	f.lifecycle(ev)
}

func (f course) lifecycle(ev events.Event) {
	switch d := ev.Data.(type) {
	case *runevents.RunStarted:
		f.started(ev, d)
	case *runevents.RunResumed:
		f.goesOn()
		f.moment(ev, "run resumed", joined(mentioned(d.By), passage(d.Why)))
	case *runevents.RunCompleted:
		f.finished(ev, d)
	case *runevents.PhaseStarted:
		f.moment(ev, "phase started", mentioned(d.Phase))
	case *runevents.PhaseCompleted:
		f.moment(ev, "phase completed", mentioned(d.Phase))
	case *runevents.AgentStarted:
		f.sessions.agent(f.Fold, d.Session, d.AgentID)
	case *runevents.AgentCompleted:
		f.sessions.agent(f.Fold, d.Session, d.AgentID)
	case *runevents.CycleCompleted:
		decided(f).cycle(ev, d)
	case *runevents.MergeCompleted:
		f.moment(ev, "merged", mentioned(d.SHA))
	case *runevents.WaveMerged:
		f.moment(ev, "wave merged", fmt.Sprintf("wave %d", d.Wave))
	case *runevents.TestCompleted:
		f.tested(ev, d)
	case *runevents.SpendReported:
		f.spent(d)
	case *runevents.RecoverySelected:
		f.moment(ev, "recovery chosen", joined(mentioned(d.By), passage(d.Why)))
	}
}

func (f course) started(ev events.Event, d *runevents.RunStarted) {
	f.goesOn()
	short := f.settings.short
	f.run.Kind, f.run.Goal, f.run.Project = d.Kind, short(d.Goal), short(d.Project)
	f.run.Workspace, f.run.Workflow = short(d.Workspace), d.Workflow
	if d.Budget != nil && f.cost.Reports == 0 {
		f.cost.Limit, f.cost.Unit = d.Budget.Limit, d.Budget.Unit
	}
	f.moment(ev, "run started", passage(d.Goal))
}

// goesOn undoes an end: the run was begun or resumed again.
func (f course) goesOn() {
	f.run.Completed, f.run.Outcome = false, ""
}

func (f course) finished(ev events.Event, d *runevents.RunCompleted) {
	f.run.Completed, f.run.Outcome = true, f.settings.short(d.Outcome)
	f.run.PRURL, f.run.Summary = f.settings.short(d.PRURL), f.settings.short(d.Summary)
	f.moment(ev, "run completed", mentioned(d.Outcome))
}

func (f course) tested(ev events.Event, d *runevents.TestCompleted) {
	if !d.Passed {
		f.moment(ev, "tests failed", mentioned(d.Suite))
	}
}

// spent is what the run has spent so far, as it says (RW-21).
func (f course) spent(d *runevents.SpendReported) {
	f.cost.Reports++
	f.cost.Spent = d.Spent
	if d.Limit > 0 {
		f.cost.Limit = d.Limit
	}
	if d.Unit != "" {
		f.cost.Unit = d.Unit
	}
}

// sessions are those of the run, as they appeared.
type sessions struct {
	byID  map[string]*Session
	order []*Session
}

// of is a session of the run, nil where there is none or no room for it.
func (s *sessions) of(f *Fold, id string) *Session {
	if id == "" {
		return nil
	}
	if known := s.byID[id]; known != nil {
		return known
	}
	if len(s.order) >= f.settings.Limits.Sessions {
		return nil
	}
	one := &Session{ID: id}
	s.byID[id] = one
	s.order = append(s.order, one)
	return one
}

// agent notes which agent of the run a session is.
func (s *sessions) agent(f *Fold, id, agent string) {
	if one := s.of(f, id); one != nil && agent != "" {
		one.AgentID = agent
	}
}

func named(id string, ev events.Event) string {
	if id == "" {
		return ev.Subject
	}
	return id
}

func (f *Fold) sessionOpened(ev events.Event, d *sessionevents.SessionOpened) {
	s := f.sessions.of(f, named(d.Session, ev))
	if s == nil {
		return
	}
	s.Closed = false
	if d.Agent != nil {
		s.Agent = d.Agent
	}
}

func (f *Fold) sessionClosed(ev events.Event, d *sessionevents.SessionClosed) {
	if s := f.sessions.of(f, named(d.Session, ev)); s != nil {
		s.Closed = true
	}
}

func (f *Fold) turn(ev events.Event, d *sessionevents.TurnEvaluated) {
	f.coverage.Turns++
	s := f.sessions.of(f, named(d.Session, ev))
	if s == nil {
		s = &Session{} // beyond the limit: counted in the sums only
	}
	s.Turns++
	if d.Failed != "" {
		s.TurnsFailed++
		f.coverage.TurnsFailed++
		f.moment(ev, "turn not evaluated", d.Failed)
	}
	if d.Observed == nil {
		return
	}
	if d.Observed.Agent != nil {
		s.Agent = d.Observed.Agent
	}
	if u := d.Observed.Usage; u != nil {
		f.cost.add(u)
		s.CostUSD += u.CostUSD
	}
}

func (c *Cost) add(u *sessionevents.Usage) {
	c.Turns++
	c.InputTokens += u.InputTokens
	c.OutputTokens += u.OutputTokens
	c.CacheRead += u.CacheRead
	c.CacheWrite += u.CacheWrite
	c.CostUSD += u.CostUSD
}
