package policy

import (
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// turn takes the end of a turn. Most of what the dispatcher reads is turns of
// running sessions: those cost a look at a map.
func (f *fold) turn(data *sessionevents.TurnEvaluated) {
	session := f.member(data.Session, data.Run)
	if session == nil {
		return
	}
	f.state.Heard++
	session.Heard, session.Turn = f.state.Heard, max(session.Turn, data.Turn)
	f.goesOnAgain(session)
	if o := data.Observed; o != nil && o.Agent != nil && o.Agent.ID != "" && session.Agent == "" {
		session.Agent = o.Agent.ID
	}
	f.ignoredByTurn(session, data)
}

func (f *fold) opened(data *sessionevents.SessionOpened) {
	session := f.member(data.Session, data.Run)
	if session == nil {
		return
	}
	f.goesOnAgain(session)
	if data.Agent != nil && data.Agent.ID != "" {
		session.Agent = data.Agent.ID
	}
}

func (f *fold) closed(data *sessionevents.SessionClosed) {
	if session := f.state.Sessions[f.sessionID(data.Session)]; session != nil {
		session.Closed, f.state.changed = true, true
	}
}

// goesOnAgain takes a session that was heard of after its end.
func (f *fold) goesOnAgain(session *Session) {
	if session.ended() {
		session.Closed, session.Left, f.state.changed = false, false, true
	}
}

// leave is the end of the run for its sessions and itself; work that begins later
// begins it again.
func (f *fold) leave() {
	s := f.state
	switch f.in.Event.Data.(type) {
	case *runevents.RunCompleted:
		for _, session := range s.Sessions {
			session.Left = true
		}
		s.Over, s.changed = true, true
		return
	case *runevents.RunStarted, *runevents.RunResumed:
	default:
		if begun(f.in.Event.Data) == "" {
			return
		}
	}
	if s.Over {
		s.Over, s.changed = false, true
	}
}

// member is the session that an event is about, nil if it names none.
func (f *fold) member(id, run string) *Session {
	if run != "" && f.state.Run == "" && run == f.in.Event.Group() {
		f.state.hear(run)
	}
	if id = f.sessionID(id); id == "" {
		return nil
	}
	return f.state.session(id, f.Kept.Sessions)
}

func (f *fold) sessionID(id string) string {
	if id == "" {
		return f.in.Event.Subject
	}
	return id
}

// sessionOf is the session that an agent works in, "" where it is not known.
func (s *State) sessionOf(agent string) string {
	if agent == "" {
		return ""
	}
	found := ""
	for _, id := range s.sessionIDs() {
		one := s.Sessions[id]
		if one.Agent == agent && (found == "" || s.Sessions[found].before(one)) {
			found = id
		}
	}
	return found
}
