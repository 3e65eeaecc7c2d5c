package policy

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run/verdict"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// reminderTimer begins the names of the timers behind RW-41; the id of the
// escalation follows.
const reminderTimer = "run.reminder."

func isReminder(name string) bool { return strings.HasPrefix(name, reminderTimer) }

// Escalation is one that nobody has acknowledged (RW-41).
type Escalation struct {
	ID       string              `json:"id"`
	Subject  string              `json:"subject"`
	Layer    sessionevents.Layer `json:"layer"`
	Issue    string              `json:"issue"`
	To       string              `json:"to"`
	Text     string              `json:"text"`
	Options  []runevents.Option  `json:"options,omitempty"`
	Run      string              `json:"run,omitempty"`
	Session  string              `json:"session,omitempty"`
	Break    string              `json:"break,omitempty"`    // it reports this one
	Reminder string              `json:"reminder,omitempty"` // id of the one that was raised again
	Reminded bool                `json:"reminded,omitempty"`
}

// remind raises an escalation again, once, that is still open (RW-41).
func (f *fold) remind(data *events.TimerExpired) {
	id := strings.TrimPrefix(data.Name, reminderTimer)
	for i := range f.state.Escalations {
		if e := &f.state.Escalations[i]; e.ID == id && !e.Reminded {
			e.Reminded = true
			f.v.TellAbout(e.Subject, runevents.TypeEscalationRaised, &runevents.EscalationRaised{
				Layer: e.Layer, Issue: e.Issue, To: e.To, Text: e.Text, Options: slices.Clone(e.Options),
				Run: e.Run, Session: e.Session, Reminder: true, Of: e.ID,
			})
			return
		}
	}
}

// acknowledge closes escalations: the one that is named by its own id, its
// reminder's or its break's; without a name all of the session or run.
func (f *fold) acknowledge(act *runevents.OperatorAct) {
	s := f.state
	all := act.Target == "" || act.Target == act.Run || act.Target == act.Session
	for _, control := range s.controls() {
		open := control.Open
		if open == nil || !all && act.Target != open.ID && !s.reports(act.Target, open.ID) {
			continue
		}
		if act.Session == "" {
			f.unhealed(open)
		}
	}
	s.Escalations = slices.DeleteFunc(s.Escalations, func(e Escalation) bool {
		if all {
			return act.Session == "" || e.Session == act.Session
		}
		return e.is(act.Target)
	})
}

func (e *Escalation) is(target string) bool {
	return target == e.ID || target == e.Reminder || target == e.Break
}

func (s *State) reports(target, broken string) bool {
	return slices.ContainsFunc(s.Escalations, func(e Escalation) bool { return e.Break == broken && e.is(target) })
}

// answered closes the escalation that reports a break: a resume answers it.
func (f *fold) answered(broken string) {
	f.state.Escalations = slices.DeleteFunc(f.state.Escalations, func(e Escalation) bool { return e.Break == broken })
}

func (s *State) controls() []*Control {
	out := []*Control{&s.Control}
	for _, id := range s.sessionIDs() {
		out = append(out, &s.Sessions[id].Control)
	}
	return out
}

// raise tells an escalation and keeps it open until it is acknowledged: in the
// group that raised it, which is a project's or workspace's where the news of
// several runs led to it.
func (t *settlement) raise(subject string, data *runevents.EscalationRaised, broken string) {
	t.address(subject, data)
	if data.To == "" {
		data.To = toUser
	}
	id := t.tell(runevents.TypeEscalationRaised, subject, data)
	s := t.state
	if data.Reminder {
		for i := range s.Escalations {
			if s.Escalations[i].ID == data.Of {
				s.Escalations[i].Reminder = id
			}
		}
		return
	}
	s.Escalations = keepLast(append(s.Escalations, Escalation{
		ID: id, Subject: subject, Layer: data.Layer, Issue: data.Issue, To: data.To, Break: broken,
		Text: shortened(data.Text, 2*t.Kept.Text), Options: slices.Clone(data.Options), Run: data.Run, Session: data.Session,
	}), t.Kept.Escalations)
	t.timer(&events.TimerSet{
		Name: reminderTimer + id, Run: data.Run, Session: data.Session, Due: verdict.At(verdict.Now(t.in).Add(t.Escalation.Reminder)),
	})
}

// address fills in whom an escalation is about.
func (t *settlement) address(subject string, data *runevents.EscalationRaised) {
	if data.Run == "" && data.Session == "" && t.state.Sessions[subject] != nil && subject != t.state.Run {
		data.Session = subject
	}
	if data.Run == "" {
		data.Run = t.state.Run
	}
	if data.Run == "" && data.Session == "" {
		data.Run = subject
	}
}
