package policy

import (
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/settle"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// reminder is RW-41: an escalation that is still open is raised again, once.
var reminder = Rule{ID: "RW-41", On: run.Types(events.TypeTimerExpired), Run: run.With(func(c *Context, data *events.TimerExpired) {
	id, is := settle.ReminderOf(data.Name)
	if !is {
		return
	}
	for i := range c.state.Escalations {
		if e := &c.state.Escalations[i]; e.ID == id && !e.Reminded {
			e.Reminded = true
			c.ConcludeAbout(e.Subject, runevents.TypeEscalationRaised, &runevents.EscalationRaised{
				Layer: e.Layer, Issue: e.Issue, To: e.To, Text: e.Text, Options: slices.Clone(e.Options),
				Run: e.Run, Session: e.Session, Reminder: true, Of: e.ID,
			})
			return
		}
	}
})}

// acknowledged is RW-41: an operator closes the escalation that the act names by its own
// id, its reminder or its break. An act without a target closes all escalations of the
// session or run.
var acknowledged = Rule{ID: "RW-41", On: run.Types(runevents.TypeOperatorAct), Run: run.With(func(c *Context, act *runevents.OperatorAct) {
	if act.Act != runevents.ActAck {
		return
	}
	s := c.state
	all := act.Target == "" || act.Target == act.Run || act.Target == act.Session
	for _, control := range s.Controls() {
		open := control.Open
		if open == nil || !all && act.Target != open.ID && !s.reports(act.Target, open.ID) {
			continue
		}
		if act.Session == "" {
			c.unhealed(open)
		}
	}
	s.Escalations = slices.DeleteFunc(s.Escalations, func(e settle.Escalation) bool {
		if all {
			return act.Session == "" || e.Session == act.Session
		}
		return e.Is(act.Target)
	})
})}

// reports reports whether target names the escalation of a break.
func (s *State) reports(target, broken string) bool {
	return slices.ContainsFunc(s.Escalations, func(e settle.Escalation) bool { return e.Break == broken && e.Is(target) })
}
