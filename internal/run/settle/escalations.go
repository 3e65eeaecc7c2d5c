package settle

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// reminderTimer is the prefix of the timers of RW-41; the id of the escalation
// follows it.
const reminderTimer = "run.reminder."

// ReminderOf returns the id of the escalation that a timer reminds of, and false for
// other timers.
func ReminderOf(timer string) (escalation string, is bool) {
	return strings.CutPrefix(timer, reminderTimer)
}

// Escalation is an unacknowledged escalation (RW-41).
type Escalation struct {
	ID       string                  `json:"id"`
	Subject  string                  `json:"subject"`
	Layer    sessionevents.Layer     `json:"layer"`
	Issue    string                  `json:"issue"`
	To       runevents.RecipientKind `json:"to"`
	Text     string                  `json:"text"`
	Options  []runevents.Option      `json:"options,omitempty"`
	Run      string                  `json:"run,omitempty"`
	Session  string                  `json:"session,omitempty"`
	Break    string                  `json:"break,omitempty"`    // the break it reports
	Reminder string                  `json:"reminder,omitempty"` // id of its reminder
	Reminded bool                    `json:"reminded,omitempty"`
}

// Is reports whether target names the escalation: by its own id, its reminder or
// its break.
func (e *Escalation) Is(target string) bool {
	return target == e.ID || target == e.Reminder || target == e.Break
}

// Answered closes the escalation that reports a break.
func (s *State) Answered(broken string) {
	s.Escalations = slices.DeleteFunc(s.Escalations, func(e Escalation) bool { return e.Break == broken })
}

// raise raises an escalation and keeps it open until it is acknowledged, in the group
// that raised it: a project or workspace if several runs caused it.
func (t *settlement) raise(subject string, data *runevents.EscalationRaised, broken string) {
	t.address(subject, data)
	if data.To == "" {
		data.To = runevents.RecipientUser
	}
	if data.Reminder {
		t.take(reminded{subject, data})
		return
	}
	id := t.take(raised{subject, data, broken, 2 * t.Kept.Text, t.Kept.Escalations})
	t.timer(&events.TimerSet{
		Name: reminderTimer + id, Run: data.Run, Session: data.Session, Due: t.context.Now().Add(t.Escalation.Reminder).UTC(),
	})
}

// address sets the run or session that an escalation is about.
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
