package hook

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/outcome"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/hookturn"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/sessionid"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Point is the point in an agent's work at which a hook is called.
type Point string

// Points; every other hook is PointOther.
const (
	PointOther      Point = "other"
	PointPrompt     Point = "prompt" // a person has sent a message
	PointText       Point = "text"   // the agent shows its output
	PointBeforeTool Point = "before tool"
	PointAfterTool  Point = "after tool"
	PointAfterBatch Point = "after batch" // all tools of a response are done
	PointStop       Point = "stop"        // the response is complete
	PointEnd        Point = "end"         // the session is over
)

// Points returns all points.
func Points() []string {
	var list []string
	for _, p := range []Point{PointOther, PointPrompt, PointText, PointBeforeTool, PointAfterTool, PointAfterBatch, PointStop, PointEnd} {
		list = append(list, string(p))
	}
	return list
}

// Event is a parsed call of a hook.
type Event struct {
	Dialect *Dialect
	// Name is the hook's own name, e.g. PostToolBatch.
	Name  string
	Point Point
	// Session is the session id that the agent gives (EV-3); a subagent's calls give their parent's.
	// Speaker is the session to which these turns belong.
	Session string
	Speaker string
	// Workspace is the folder that the agent works in, "" if it is not given.
	Workspace string
	// Tool is the tool that is about to run, at PointBeforeTool.
	Tool Tool
	// Chunk is set while a message is streamed.
	Chunk *Chunk

	kind     *Kind // nil for a hook that is not understood
	border   hookturn.Border
	subagent string // the subagent's name, "" for the session itself
	role     string // role of the subagent
	payload  *payload
}

// Tool is a call that is about to run.
type Tool struct {
	ID    string
	Name  string
	Input json.RawMessage
}

// Chunk is a piece of a message that is being streamed.
type Chunk struct {
	Message string // id of the message
	Index   int    // number of the piece, from 0
	Text    string
	Final   bool // no more pieces follow
}

// Said returns a person's message, at PointPrompt.
func (e *Event) Said() string {
	if e.Point != PointPrompt || e.payload == nil {
		return ""
	}
	return outcome.Default().UserText(string(e.payload.Prompt))
}

// Reported returns the agent's last message, at PointStop.
func (e *Event) Reported() string {
	if e.Point != PointStop || e.payload == nil || e.Session != e.Speaker {
		return ""
	}
	for _, s := range []string{string(e.payload.LastMessage), string(e.payload.Response)} {
		if s != "" {
			return text.Valid(s)
		}
	}
	return ""
}

// Closes reports whether the event ends the session.
func (e *Event) Closes() bool { return e.Point == PointEnd }

// Starts reports whether the agent says that its session has only begun: one that is resumed, or goes on after
// a compaction, has another source.
func (e *Event) Starts() bool {
	return e.Dialect.Hooks[e.Name] == SessionStart && e.payload.Source == "startup"
}

// EndsTurn reports whether the event can complete a turn, so that a decision about it may follow.
func (e *Event) EndsTurn() bool { return e.border != hookturn.BorderNone }

// Call returns what the event states about its session and turn. Callers that only answer the agent do not
// need it, and do not pay for it.
func (e *Event) Call() hookturn.Call {
	c := hookturn.Call{
		Subagent: e.subagent, Archetype: e.role, Model: string(e.payload.Model),
		Workspace: e.Workspace, Transcript: string(e.payload.Transcript), Border: e.border,
	}
	if e.kind != nil && e.kind.call != nil {
		e.kind.call(&c, e)
	}
	return c
}

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
