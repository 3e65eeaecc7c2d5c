package runreport

import (
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

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
