package hook

import (
	"encoding/json"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/outcome"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/hookturn"
)

// Point is the place in an agent's work at which a hook is called.
type Point string

// Points; every other hook is PointOther.
const (
	PointOther      Point = "other"
	PointPrompt     Point = "prompt" // a person has sent a message
	PointText       Point = "text"   // the agent shows what it says
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

// Event is one call of a hook, read.
type Event struct {
	Dialect *Dialect
	// Name is the hook's own name, e.g. PostToolBatch.
	Name  string
	Point Point
	// Session is the id of the session that the agent names (EV-3); a subagent's
	// calls name their parent's. Speaker is the session whose turns these are.
	Session string
	Speaker string
	// Workspace is the folder the agent works in, "" where it is not named.
	Workspace string
	// Tool is the tool that is about to run, at PointBeforeTool.
	Tool Tool
	// Chunk is set while a message is shown piece by piece.
	Chunk *Chunk

	kind     *Kind // nil for a hook that says nothing
	border   hookturn.Border
	subagent string // its own name, "" for the session itself
	role     string // of the subagent
	payload  *payload
}

// Tool is a call that is about to run.
type Tool struct {
	ID    string
	Name  string
	Input json.RawMessage
}

// Chunk is a piece of a message that is being shown.
type Chunk struct {
	Message string // id of the message
	Index   int    // of the piece, from 0
	Text    string
	Final   bool // no more pieces come
}

// Said is the message of a person, at PointPrompt.
func (e *Event) Said() string {
	if e.Point != PointPrompt || e.payload == nil {
		return ""
	}
	return outcome.Default().UserText(string(e.payload.Prompt))
}

// Reported is the agent's last message, at PointStop.
func (e *Event) Reported() string {
	if e.Point != PointStop || e.payload == nil || e.Session != e.Speaker {
		return ""
	}
	for _, text := range []string{string(e.payload.LastMessage), string(e.payload.Response)} {
		if text != "" {
			return valid(text)
		}
	}
	return ""
}

// Closes reports whether the session ends with the event.
func (e *Event) Closes() bool { return e.Point == PointEnd }

// EndsTurn reports whether a turn can be complete with the event, so that a
// decision about it may follow.
func (e *Event) EndsTurn() bool { return e.border != hookturn.BorderNone }

// Call returns what the event says about its session and turn. Whoever only
// answers the agent does not need it, and pays nothing for it.
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
