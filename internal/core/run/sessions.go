package run

import "github.com/scaffoldwatch/scaffoldwatch/pkg/events"

// turn takes the end of a turn. Most of what the dispatcher reads is turns of
// running sessions: those cost a look at a map.
func (f *fold) turn(data *events.TurnEvaluated) {
	session := f.member(data.Session, data.Run)
	if session == nil {
		return
	}
	f.state.Heard++
	session.Heard, session.Turn = f.state.Heard, max(session.Turn, data.Turn)
	if session.Closed {
		session.Closed, f.state.changed = false, true
	}
	if o := data.Observed; o != nil && o.Agent != nil && o.Agent.ID != "" && session.Agent == "" {
		session.Agent = o.Agent.ID
	}
	f.ignoredByTurn(session, data)
}

func (f *fold) opened(data *events.SessionOpened) {
	session := f.member(data.Session, data.Run)
	if session == nil {
		return
	}
	if session.Closed {
		session.Closed, f.state.changed = false, true
	}
	if data.Agent != nil && data.Agent.ID != "" {
		session.Agent = data.Agent.ID
	}
}

func (f *fold) closed(data *events.SessionClosed) {
	if session := f.state.Sessions[f.sessionID(data.Session)]; session != nil {
		session.Closed = true
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
