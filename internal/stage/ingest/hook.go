package ingest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/hookturn"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/redact"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/sessionid"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// maxGroupOpen bounds the total size of a group's open turns in bytes; a turn that
// exceeds it ends early, so that a snapshot can still be written.
const maxGroupOpen = 4 << 20

// hook handles one call of an agent's hook: the session it opens or closes, and the turns
// that it completes (SW-1).
func (m *Machine) hook(state *State, in step.Input, data *sessionevents.HookReceived, out *step.Emitter) error {
	if state.repeated(in) {
		return nil
	}
	if err := state.remember(in); err != nil {
		return err
	}
	m.selfRelease(state, in.Event, data, out)
	call, err := m.options.ReadHook(data)
	if err != nil {
		return fmt.Errorf("read the hook %s: %w", data.Event, err)
	}
	opened, err := m.speaker(state, data, call)
	if err != nil {
		return err
	}
	session := state.session(opened.Session)
	h := hooked{Machine: m, cleaner: state.cleaner(m), session: session, id: opened.Session, in: in, out: out}
	h.open(opened, call.Opens)
	h.emit(session.Hook.Fold(call, h.cleaner))
	if state.open() > maxGroupOpen {
		h.emit(session.Hook.Flush(h.cleaner))
	}
	if call.Closes != "" {
		h.closeSubagents(state)
		reason, _ := state.cleaner(m).Text(call.Closes, "")
		h.close(reason)
		return nil
	}
	session.LastSeen = in.Arrived
	m.watchIdle(session, &sessionevents.Turn{Session: h.id, Run: session.Run}, in, out)
	return nil
}

// selfRelease forwards that an agent was refused something reserved to a person (RW-34),
// without the agent's own words, so that the person is informed.
func (m *Machine) selfRelease(state *State, ev events.Event, data *sessionevents.HookReceived, out *step.Emitter) {
	a := data.Answer
	if a == nil || a.Class != sessionevents.HookSelfRelease || a.Decision != sessionevents.HookDeny {
		return
	}
	reason, _ := state.cleaner(m).Text(a.Reason, "")
	shown := envelope(plainly(state.cleaner(m)), ev)
	shown.Raw, shown.Data = nil, &sessionevents.HookReceived{
		Session: data.Session, Agent: sessionevents.Agent{Kind: data.Agent.Kind}, Event: data.Event, Payload: json.RawMessage("{}"), Run: data.Run,
		Answer: &sessionevents.HookAnswer{Decision: a.Decision, Class: a.Class, Rule: a.Rule, Reason: reason},
	}
	out.Forward(shown)
}

// speaker returns the session that a hook call belongs to, without secrets. A subagent's
// turns are a session of their own in its parent's group (SW-1, EV-4).
func (m *Machine) speaker(state *State, data *sessionevents.HookReceived, call hookturn.Call) (*sessionevents.SessionOpened, error) {
	agent := data.Agent
	opened := &sessionevents.SessionOpened{Session: data.Session, Agent: &agent, Run: data.Run, Workspace: data.Workspace, Transcript: call.Transcript}
	if call.Workspace != "" {
		opened.Workspace = call.Workspace
	}
	if call.Model != "" {
		agent.Model = call.Model
	}
	if call.Archetype != "" {
		agent.Archetype = call.Archetype
	}
	if call.Subagent != "" {
		name, _ := state.cleaner(m).Text(call.Subagent, "")
		opened.Session, agent.ID, agent.ParentSession = sessionid.Subagent(data.Session, name), sessionid.Valid(name), data.Session
		if opened.Run == "" {
			opened.Run = data.Session
		}
	}
	raw, err := json.Marshal(opened)
	if err != nil {
		return nil, fmt.Errorf("encode session.opened: %w", err)
	}
	raw, _ = state.cleaner(m).JSON(raw)
	clean := &sessionevents.SessionOpened{}
	if err := json.Unmarshal(raw, clean); err != nil {
		return nil, fmt.Errorf("decode redacted session.opened: %w", err)
	}
	clean.Session, clean.Run = opened.Session, opened.Run // ids are not redacted (EV-3)
	return clean, nil
}

// hooked is one hook call of one session being folded.
type hooked struct {
	*Machine
	cleaner redact.Cleaner
	session *Session
	id      string
	in      step.Input
	out     *step.Emitter
}

// open records what the call says about its session, and emits session.opened if that has
// not happened, or if the session continues after its end.
func (h hooked) open(opened *sessionevents.SessionOpened, starts bool) {
	s := h.session
	if s.Hook == nil {
		s.Hook, s.Agent = &hookturn.State{}, &sessionevents.Agent{}
	}
	s.Run = opened.Run
	if opened.Workspace != "" && (s.Workspace == "" || starts) {
		s.Workspace = opened.Workspace
	}
	model := s.Agent.Model
	*s.Agent = *opened.Agent
	if s.Agent.Model == "" {
		s.Agent.Model = model
	}
	if s.Opened && !(starts && s.Closed) {
		return
	}
	s.Opened = true
	opened.Workspace = s.Workspace
	h.out.Emit(sessionevents.TypeSessionOpened, h.id, opened)
}

// emit numbers and segments completed turns.
func (h hooked) emit(turns []hookturn.Turn) {
	for _, t := range turns {
		number := h.session.Turns + 1
		turn := &sessionevents.Turn{
			Session: h.id, TurnID: fmt.Sprintf("hook-%d", number), Agent: *h.session.Agent, Run: h.session.Run,
			Format: "blocks", Blocks: t.Blocks, StopReason: t.StopReason, Compacted: t.Compacted,
		}
		cut := h.options.Cutter.Cut(turn, number, h.session.Workspace, t.Secrets)
		cut.Bytes = turnBytes(turn)
		cut.Continuity = h.session.continuity(h.in.Event.Time, turn, false)
		h.session.advance(h.in) // its hook calls are remembered, so it cannot be repeated
		h.out.Emit(sessionevents.TypeTurnSegmented, h.id, cut)
	}
}

// close ends the session; a second end has no effect.
func (h hooked) close(reason string) {
	h.emit(h.session.Hook.Flush(h.cleaner))
	if h.session.Closed {
		return
	}
	h.session.Closed = true
	h.out.Emit(sessionevents.TypeSessionClosed, h.id, &sessionevents.SessionClosed{Session: h.id, Reason: reason})
}

// closeSubagents ends the session's subagents first.
func (h hooked) closeSubagents(state *State) {
	for _, id := range slices.Sorted(maps.Keys(state.Sessions)) {
		s := state.Sessions[id]
		if s.Hook != nil && id != h.id && s.Agent.ParentSession == h.id && !s.Closed {
			hooked{Machine: h.Machine, cleaner: h.cleaner, session: s, id: id, in: h.in, out: h.out}.close("parent_closed")
		}
	}
}

// flush completes the open turn of a session that is ended by other means.
func (m *Machine) flush(state *State, session *Session, id string, in step.Input, out *step.Emitter) {
	if session.Hook != nil {
		hooked{Machine: m, cleaner: state.cleaner(m), session: session, id: id, in: in, out: out}.emit(session.Hook.Flush(state.cleaner(m)))
	}
}

// open returns the total size of the group's open turns in bytes.
func (s *State) open() (bytes int) {
	for _, session := range s.Sessions {
		if session.Hook != nil {
			bytes += session.Hook.Bytes
		}
	}
	return bytes
}
