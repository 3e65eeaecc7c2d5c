package sessionreport

import (
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Set keeps a fold for each session of a stream.
type Set struct {
	settings *Settings
	folds    map[string]*Fold
	order    []string // sessions as they appeared
}

// NewSet returns an empty set. Without settings it uses those of the embedded rule data.
func NewSet(settings ...*Settings) *Set {
	return &Set{settings: chosen(settings), folds: map[string]*Fold{}}
}

// Apply folds one event of DECISIONS into its session, or into all if it names none (an answer to an
// interrupt by its id alone).
func (s *Set) Apply(ev events.Event) {
	id, ours := sessionOf(ev)
	switch {
	case !ours:
	case answer(ev):
		for _, id := range s.order {
			s.folds[id].Apply(ev)
		}
	case forRun(ev):
		if f := s.folds[id]; f != nil {
			f.Apply(ev)
		}
	case id != "":
		s.fold(id).Apply(ev)
	}
}

// Rules records sentences about the rules that a session's workspace changes.
func (s *Set) Rules(session string, said []string) {
	if len(said) > 0 {
		s.fold(session).coverage.Rules = said
	}
}

// answer reports whether an event is about an interrupt; such an event does not start a session.
func answer(ev events.Event) bool {
	return ev.Type == sessionevents.TypeInterruptDelivery || ev.Type == runevents.TypeOperatorAct
}

// forRun reports whether an event is a message to an agent for its run, which does not show that the agent's
// session is watched.
func forRun(ev events.Event) bool {
	d, interrupt := ev.Data.(*sessionevents.InterruptFired)
	return ev.Type == runevents.TypeCorrectionIssued || interrupt && !ofSession(d)
}

func (s *Set) fold(id string) *Fold {
	f := s.folds[id]
	if f == nil {
		f = New(id, s.settings)
		s.folds[id] = f
		s.order = append(s.order, id)
	}
	return f
}

// Results returns the reports in the order in which their sessions appeared.
func (s *Set) Results() []Model {
	all := make([]Model, 0, len(s.order))
	children := map[string][]Model{}
	for _, id := range s.order {
		m := s.folds[id].Result()
		all = append(all, m)
		if parent := parentOf(&m); parent != "" {
			children[parent] = append(children[parent], m)
		}
	}
	for i := range all {
		withSubagents(&all[i], children[all[i].Session.ID])
	}
	return all
}

// parentOf returns the session that started a subagent, "" for other sessions.
func parentOf(m *Model) string {
	if a := m.Session.Agent; a != nil && a.ParentSession != m.Session.ID {
		return a.ParentSession
	}
	return ""
}

// Result returns one session's report; ok is false for a session that never appeared.
func (s *Set) Result(session string) (m Model, ok bool) {
	f, ok := s.folds[session]
	if !ok {
		return Model{}, false
	}
	m = f.Result()
	var children []Model
	for _, other := range s.order {
		if a := s.folds[other].session.Agent; a != nil && a.ParentSession == session && other != session {
			children = append(children, s.folds[other].Result())
		}
	}
	withSubagents(&m, children)
	return m, true
}
