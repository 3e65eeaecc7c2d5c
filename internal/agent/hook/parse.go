package hook

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/sessionid"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/turn"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// ErrNoSession says that a payload does not name its session.
var ErrNoSession = errors.New("the hook's JSON names no session (session_id, or conversation_id with Cursor)")

// Parse reads what an agent gave to a hook, a JSON object. A hook that is not
// known says nothing. The error is for JSON that cannot be read, an agent that is
// not known, or [ErrNoSession].
func Parse(agent Agent, raw []byte) (Event, error) { return parse(agent, "", raw) }

// Read is what a recorded hook call says, for the ingest stage.
func Read(h *sessionevents.HookReceived) (turn.Call, error) {
	agent, err := Named(h.Agent.Kind)
	if err != nil {
		return turn.Call{}, err
	}
	e, err := parse(agent, h.Event, h.Payload)
	if errors.Is(err, ErrNoSession) { // the envelope names it
		err = nil
	}
	return e.Call, err
}

func parse(agent Agent, name string, raw []byte) (Event, error) {
	dialect, ok := dialects[agent]
	if !ok {
		_, err := Named(string(agent))
		return Event{}, err
	}
	var p payload
	if err := json.Unmarshal(raw, &p); err != nil && !loose.Mismatch(err) {
		return Event{}, fmt.Errorf("read the hook's JSON: %w", err)
	}
	if p.Event != "" {
		name = string(p.Event)
	}
	e := Event{Agent: agent, Name: name, Point: PointOther, Session: sessionid.Valid(string(p.Session))}
	if e.Session == "" || agent == Cursor && p.Conversation != "" {
		e.Session = sessionid.Valid(string(p.Conversation))
	}
	e.Call = turn.Call{
		Subagent: string(p.AgentID), Archetype: string(p.AgentType), Model: string(p.Model),
		Workspace: p.workspace(), Transcript: string(p.Transcript),
	}
	if read := dialect[name]; read != nil {
		read(&e, &p)
	}
	e.Speaker = e.Session
	if e.Call.Subagent != "" {
		e.Speaker = sessionid.Valid(e.Session + "-agent-" + e.Call.Subagent)
	}
	if e.Session == "" {
		return e, ErrNoSession
	}
	return e, nil
}
