package settle

import (
	"slices"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Decision is one step of a settlement. Most are published as an event; some only
// change the state.
type Decision interface {
	// Event returns the event that publishes the decision; typ is "" for none.
	Event() (typ events.Type, subject string, data any)
	// evolve folds the decision into the state; id is that of its event.
	evolve(s *State, id string)
}

// take emits the event of a decision, evolves the state by the decision and returns
// the id of the event.
func (t *settlement) take(d Decision) string {
	id := ""
	if typ, subject, data := d.Event(); typ != "" {
		id = t.out.Emit(typ, subject, data)
		if typ != events.TypeTimerSet && typ != runevents.TypeRunEvaluated {
			t.ids = append(t.ids, id)
		}
	}
	d.evolve(t.state, id)
	return id
}

// silent is embedded by decisions that publish no event.
type silent struct{}

// Event returns no event.
func (silent) Event() (events.Type, string, any) { return "", "", nil }

// emitted publishes a conclusion and changes no state.
type emitted struct {
	typ     events.Type
	subject string
	data    any
}

// Event returns the conclusion.
func (d emitted) Event() (events.Type, string, any) { return d.typ, d.subject, d.data }

func (emitted) evolve(*State, string) {}

// broken opens a break (RW-32) and sets the control state that follows (RW-33).
type broken struct {
	subject string
	data    *runevents.WiggumBreak
	event   string // the cause
	at      time.Time
	why     string
}

// Event returns the break.
func (d broken) Event() (events.Type, string, any) {
	return runevents.TypeWiggumBreak, d.subject, d.data
}

func (d broken) evolve(s *State, id string) {
	control := s.scope(d.data)
	replaced := control.Open
	control.Open = &Open{ID: id, Kind: d.data.Kind, Trigger: d.data.Trigger, Upgraded: d.data.Upgrades, Event: d.event, At: d.at, Revert: d.data.RevertSHA}
	if replaced != nil {
		control.Open.note(replaced.Trigger)
		for _, trigger := range replaced.Noted {
			control.Open.note(trigger)
		}
		s.Answered(replaced.ID)
	}
	control.Who, control.Why = "", d.why
	control.State = runevents.ControlDraining
	if isHard(d.data) {
		control.State = runevents.ControlHalted
	}
	s.changed = true
	for _, session := range s.Sessions {
		if control == &s.Control || control == &session.Control {
			session.Drained, session.Ignored = false, 0
		}
	}
}

// secondBreak is a break besides the open one, for an act against its halt.
type secondBreak struct {
	subject string
	data    *runevents.WiggumBreak
	open    string
}

// Event returns the break.
func (d secondBreak) Event() (events.Type, string, any) {
	return runevents.TypeWiggumBreak, d.subject, d.data
}

func (d secondBreak) evolve(s *State, _ string) {
	open := s.openBreak(d.open)
	open.Against = append(open.Against, d.data.Trigger)
}

// noted adds a trigger to the open break.
type noted struct {
	subject string
	data    *runevents.BreakNoted
}

// Event returns the note.
func (d noted) Event() (events.Type, string, any) { return runevents.TypeBreakNoted, d.subject, d.data }

func (d noted) evolve(s *State, _ string) { s.openBreak(d.data.Break).note(d.data.Trigger) }

// raised opens an escalation (RW-41).
type raised struct {
	subject string
	data    *runevents.EscalationRaised
	broken  string // the break it reports
	text    int    // bounds its text
	limit   int
}

// Event returns the escalation.
func (d raised) Event() (events.Type, string, any) {
	return runevents.TypeEscalationRaised, d.subject, d.data
}

func (d raised) evolve(s *State, id string) {
	s.Escalations = text.Newest(append(s.Escalations, Escalation{
		ID: id, Subject: d.subject, Layer: d.data.Layer, Issue: d.data.Issue, To: d.data.To, Break: d.broken,
		Text: text.Cut(d.data.Text, d.text), Options: slices.Clone(d.data.Options), Run: d.data.Run, Session: d.data.Session,
	}), d.limit)
}

// reminded raises an escalation again.
type reminded struct {
	subject string
	data    *runevents.EscalationRaised
}

// Event returns the reminder.
func (d reminded) Event() (events.Type, string, any) {
	return runevents.TypeEscalationRaised, d.subject, d.data
}

func (d reminded) evolve(s *State, id string) {
	for i := range s.Escalations {
		if s.Escalations[i].ID == d.data.Of {
			s.Escalations[i].Reminder = id
		}
	}
}

// reported makes an escalation of the same event the report of a break.
type reported struct {
	silent
	escalation, broken string
}

func (d reported) evolve(s *State, _ string) {
	for i := range s.Escalations {
		if s.Escalations[i].ID == d.escalation {
			s.Escalations[i].Break = d.broken
		}
	}
}

// halted stops a session, or the run where session is "", at a boundary (RW-33).
type halted struct {
	silent
	session string
}

func (d halted) evolve(s *State, _ string) {
	control := &s.Control
	if d.session != "" {
		control = &s.Sessions[d.session].Control
	}
	control.State, s.changed = runevents.ControlHalted, true
}

// drained records that a session of a draining run ended its turn.
type drained struct {
	silent
	session string
}

func (d drained) evolve(s *State, _ string) { s.Sessions[d.session].Drained, s.changed = true, true }

// changed publishes the control state of the run or of a session.
type changed struct {
	subject string
	data    *runevents.ControlChanged
	control *Control
}

// Event returns the state.
func (d changed) Event() (events.Type, string, any) {
	return runevents.TypeControlChanged, d.subject, d.data
}

func (d changed) evolve(*State, string) {
	d.control.Published, d.control.Cause, d.control.Asked, d.control.Ended = d.data.State, d.data.Break, d.data.Question, false
}

// ended publishes the end of a key (EV-8); control is nil if the session is no
// longer known.
type ended struct {
	subject string
	data    *runevents.ControlChanged
	control *Control
}

// Event returns the end.
func (d ended) Event() (events.Type, string, any) {
	return runevents.TypeControlChanged, d.subject, d.data
}

func (d ended) evolve(*State, string) {
	if d.control != nil {
		d.control.Ended = true
	}
}

// published marks all states as published.
type published struct{ silent }

func (published) evolve(s *State, _ string) { s.changed, s.dropped = false, nil }

// decidedAhead remembers the decisions about a signal: the run event in which it
// was detected comes after it.
type decidedAhead struct {
	silent
	event string
	ids   []string
}

func (d decidedAhead) evolve(s *State, _ string) {
	if s.Decided.Event != d.event {
		s.Decided = Decided{Event: d.event}
	}
	s.Decided.IDs = text.Newest(append(s.Decided.IDs, d.ids...), maxDecided)
}

// closed closes an event.
type closed struct {
	subject string
	data    *runevents.RunEvaluated
}

// Event returns run.evaluated.
func (d closed) Event() (events.Type, string, any) {
	return runevents.TypeRunEvaluated, d.subject, d.data
}

func (closed) evolve(s *State, _ string) { s.Decided = Decided{} }
