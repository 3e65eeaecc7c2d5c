package hook

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/hookturn"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/sessionid"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// ErrNoSession is returned if a payload does not name its session.
var ErrNoSession = errors.New("the hook's JSON names no session (session_id, or conversation_id with Cursor)")

// Parse parses the input of a hook, a JSON object. An unknown hook gives an event without information. It
// fails for invalid JSON, and with [ErrNoSession].
func (d *Dialect) Parse(raw []byte) (Event, error) { return d.parse("", raw) }

// Read returns what a recorded hook call states, for the ingest stage.
func (list Dialects) Read(h *sessionevents.HookReceived) (hookturn.Call, error) {
	d, err := list.Named(h.Agent.Kind)
	if err != nil {
		return hookturn.Call{}, err
	}
	e, err := d.parse(h.Event, h.Payload)
	if err != nil && !errors.Is(err, ErrNoSession) { // the envelope names it
		return hookturn.Call{}, err
	}
	c := e.Call()
	if h.Answer != nil && h.Answer.Decision == sessionevents.HookDeny {
		refuse(&c, h.Answer)
	}
	return c, nil
}

// refuse adds the result of calls that were denied before they ran: most agents report none (DP-24).
func refuse(c *hookturn.Call, answer *sessionevents.HookAnswer) {
	for _, p := range c.Pieces {
		if b := p.Block; b.Type == sessionevents.BlockToolCall {
			c.Pieces = append(c.Pieces, hookturn.Piece{Batch: true, Block: sessionevents.Block{
				Type: sessionevents.BlockToolResult, ID: b.ID, Name: b.Name, Input: b.Input, Output: cmp.Or(answer.Text, answer.Reason), Rejected: true, IsError: new(bool),
			}})
		}
	}
}

// parse parses the payload of the hook called name, unless the payload itself names the hook.
func (d *Dialect) parse(name string, raw []byte) (Event, error) {
	p := &payload{}
	if err := json.Unmarshal(raw, p); err != nil && !loose.Mismatch(err) {
		return Event{}, fmt.Errorf("read the hook's JSON: %w", err)
	}
	if p.Event != "" {
		name = string(p.Event)
	}
	e := Event{
		Dialect: d, Name: name, Point: PointOther, Session: sessionid.Valid(string(p.Session)),
		Workspace: p.workspace(), subagent: string(p.AgentID), role: string(p.AgentType), payload: p,
	}
	if e.Session == "" || d.Conversations && p.Conversation != "" {
		e.Session = sessionid.Valid(string(p.Conversation))
	}
	e.set(d.Hooks[name])
	e.Speaker = e.Session
	if e.subagent != "" {
		e.Speaker = sessionid.Subagent(e.Session, e.subagent)
	}
	if e.Session == "" {
		return e, ErrNoSession
	}
	return e, nil
}

// set sets what follows from the hook's kind, nil for an unknown one.
func (e *Event) set(k *Kind) {
	if k == nil {
		return
	}
	p := e.payload
	if k.subagent && e.subagent == "" {
		e.subagent, e.role = string(p.SubagentID), string(p.SubagentType)
	}
	if k.subagent && e.subagent == "" {
		return
	}
	e.kind, e.Point, e.border = k, k.point, k.border
	switch {
	case k.point == PointBeforeTool:
		e.Tool = Tool{ID: string(p.ID), Name: string(p.Name), Input: loose.Object(p.Input)}
	case k.point == PointAfterTool && e.Dialect.Batches:
		e.border = hookturn.BorderNone // its batch ends the turn
	case k.chunks:
		e.Chunk = &Chunk{Message: string(p.Message), Index: int(p.Index), Text: string(p.Delta), Final: bool(p.Final)}
	}
}
