package opencode

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/outcome"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/patch"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// object holds the fields of a session, a message or a part.
type object struct {
	ID        loose.String `json:"id"`
	SessionID loose.String `json:"sessionID"`
	MessageID loose.String `json:"messageID"`
	ParentID  loose.String `json:"parentID"`
	Directory loose.String `json:"directory"`
	Role      loose.String `json:"role"`
	ModelID   loose.String `json:"modelID"`
	Model     struct {
		ID loose.String `json:"modelID"`
	} `json:"model"`
	Time struct {
		Created loose.Time `json:"created"`
		Start   loose.Time `json:"start"`
	} `json:"time"`
	Finish loose.String `json:"finish"`
	Reason loose.String `json:"reason"` // for a step
	// Error is how a message ended that did not complete.
	Error  json.RawMessage `json:"error"`
	Tokens *tokens         `json:"tokens"`
	// Summary is a short form of the message; for a user's message the body is its text. It is true for the
	// answer to a compaction.
	Summary json.RawMessage `json:"summary"`

	Type      loose.String `json:"type"`
	Text      loose.String `json:"text"`
	Synthetic loose.Bool   `json:"synthetic"`
	CallID    loose.String `json:"callID"`
	Tool      loose.String `json:"tool"`
	State     toolState    `json:"state"`
}

type tokens struct {
	Input  loose.Int `json:"input"`
	Output loose.Int `json:"output"`
	Cache  struct {
		Read  loose.Int `json:"read"`
		Write loose.Int `json:"write"`
	} `json:"cache"`
}

type toolState struct {
	Status loose.String    `json:"status"` // pending, running, completed, error
	Input  json.RawMessage `json:"input"`
	Output *loose.String   `json:"output"`
	Error  loose.String    `json:"error"`
	Time   struct {
		Start loose.Time `json:"start"`
	} `json:"time"`
	Metadata struct {
		Exit *loose.Int   `json:"exit"`
		Diff loose.String `json:"diff"`
	} `json:"metadata"`
}

// message is an element of an export.
type message struct {
	Info  *object  `json:"info"`
	Parts []object `json:"parts"`
}

// outer is the container of a part or a message: an event of `opencode run --format json`, or a row of the
// database, whose data is JSON as text.
type outer struct {
	Part      *object         `json:"part"`
	Timestamp loose.Time      `json:"timestamp"`
	SessionID loose.String    `json:"session_id"`
	MessageID loose.String    `json:"message_id"`
	Created   loose.Time      `json:"time_created"`
	Data      json.RawMessage `json:"data"`
}

type decoder struct {
	a       *transcript.Assembler
	s       *transcript.Session
	phrases *outcome.Phrases
	persons map[string]bool // messages in the database that a person wrote
	acted   bool            // an event reported a result: what the model says then is another response
}

// Record reads a message of an export or a file of the storage.
func (d *decoder) Record(r record.Record) error {
	var o struct {
		object
		message
		outer
	}
	if err := json.Unmarshal(r.Data, &o); err != nil {
		return fmt.Errorf("not a session, message or part: %w", err)
	}
	switch {
	case o.Part != nil:
		d.event(o.Part, o.Timestamp.Time)
	case len(o.Data) > 0:
		return d.row(&o.outer, string(o.object.ID))
	case o.Type == "error":
		d.failed(o.Error, o.Timestamp.Time)
	case o.Info != nil:
		d.message(o.Info, o.Parts)
	case o.Role != "":
		d.message(&o.object, nil)
	case o.Type != "":
		d.alone(&o.object)
	default:
		d.session(&o.object)
	}
	return nil
}

// event reads a part of the model's output; other parts are not printed.
func (d *decoder) event(p *object, at time.Time) {
	d.s.Name(string(p.SessionID))
	d.s.Saw(at)
	switch p.Type {
	case "step-start":
	case "step-finish":
		d.s.Stop(string(p.Reason))
		d.usage(p.Tokens)
	case "tool":
		d.s.Begin(string(p.MessageID), at)
		d.part(p)
		d.acted = p.State.Output != nil || p.State.Error != ""
	default:
		if d.acted { // even if it is the same message
			d.s.Flush()
			d.acted = false
		}
		d.s.Begin(string(p.MessageID), at)
		d.part(p)
	}
}

const maxPersons = 10_000 // persons' messages to remember

// row reads a row of the table of messages or of parts.
func (d *decoder) row(r *outer, id string) error {
	var o object
	if err := json.Unmarshal(loose.Object(r.Data), &o); err != nil && !loose.Mismatch(err) {
		return fmt.Errorf("not a message or part: %w", err)
	}
	d.s.Name(string(r.SessionID))
	d.s.Saw(r.Created.Time)
	message := string(r.MessageID)
	switch {
	case o.Role == "user":
		if len(d.persons) < maxPersons {
			d.persons[id] = true
		}
	case o.Role != "": // its parts begin the response
		d.s.SetModel(string(o.Model.ID))
		d.s.SetModel(string(o.ModelID))
	case d.persons[message]:
		if o.Type == "text" && !bool(o.Synthetic) {
			d.s.User(d.phrases.UserText(string(o.Text)), r.Created.Time)
		}
	default:
		d.s.Begin(message, r.Created.Time)
		d.part(&o)
	}
	return nil
}

// End has nothing to complete: every turn ends with its record.
func (d *decoder) End() {}

func (d *decoder) session(o *object) {
	d.s.SetParent(string(o.ParentID))
	d.s.Name(string(o.ID))
	d.s.SetWorkspace(string(o.Directory))
	d.s.Saw(o.Time.Created.Time)
}

// message reads a message with its parts; a stored message has none.
func (d *decoder) message(o *object, parts []object) {
	at := o.Time.Created.Time
	d.s.Name(string(o.SessionID))
	d.s.Saw(at)
	switch o.Role {
	case "user":
		for i := range parts {
			switch p := &parts[i]; {
			case p.Type == "text" && !bool(p.Synthetic):
				d.s.User(d.phrases.UserText(string(p.Text)), at)
			case p.Type == "compaction":
				d.s.Compacted()
			}
		}
		if parts == nil {
			d.s.User(body(o.Summary), at)
		}
	case "assistant":
		if string(o.Summary) == "true" {
			return // what a compaction keeps of the conversation: nothing that the agent claims (IN-3)
		}
		d.s.SetModel(string(o.Model.ID))
		d.s.SetModel(string(o.ModelID))
		d.s.Begin(string(o.ID), at)
		for i := range parts {
			d.part(&parts[i])
		}
		d.usage(o.Tokens)
		d.s.Stop(string(o.Finish))
		d.failed(o.Error, at)
	}
}

func (d *decoder) usage(u *tokens) {
	if u == nil {
		return
	}
	d.s.Usage(&sessionevents.Usage{
		InputTokens: int64(u.Input), OutputTokens: int64(u.Output), CacheRead: int64(u.Cache.Read),
		CacheWrite: int64(u.Cache.Write),
	})
}

// failed records how a message ended that did not complete. One that is too long is valid as far as it
// goes.
func (d *decoder) failed(problem json.RawMessage, at time.Time) {
	var named struct {
		Name string `json:"name"`
	}
	if json.Unmarshal(problem, &named) != nil {
		return // absent, or of another shape
	}
	switch named.Name {
	case "", "MessageOutputLengthError":
	case "MessageAbortedError":
		d.s.Stop("interrupted")
	case "APIError", "ProviderAuthError":
		d.s.Fail(transcript.StopAPIError, at)
	default:
		d.s.Fail(transcript.StopError, at)
	}
}

// alone reads a part in a file of its own. Only the model makes calls and reasons; the author of a text is
// in the message's file.
func (d *decoder) alone(o *object) {
	d.s.Name(string(o.SessionID))
	at := o.Time.Start.Time
	if at.IsZero() {
		at = o.State.Time.Start.Time
	}
	d.s.Saw(at)
	switch o.Type {
	case "tool", "reasoning":
		d.s.Begin(string(o.MessageID), at)
		d.part(o)
	case "text":
		d.a.Problem("a text part without its message: its author is unknown, so it is left out")
	}
}

func (d *decoder) part(p *object) {
	switch p.Type {
	case "text":
		if !p.Synthetic {
			d.s.Text(string(p.Text))
		}
	case "reasoning":
		d.s.Thinking(string(p.Text))
	case "compaction":
		d.s.Compacted()
	case "tool":
		d.tool(p)
	case "file", "step-start", "step-finish", "patch", "snapshot", "agent", "retry", "subtask":
	default:
		d.s.Unknown(string(p.Type))
	}
}

func (d *decoder) tool(p *object) {
	id := string(p.CallID)
	d.s.Call(id, string(p.Tool), loose.Object(p.State.Input))
	if p.State.Output == nil && p.State.Error == "" {
		return // it never arrived
	}
	b := sessionevents.Block{Type: sessionevents.BlockToolResult, ID: id, Output: string(p.State.Error)}
	if p.State.Output != nil {
		b.Output = loose.Join(string(*p.State.Output), string(p.State.Error))
	}
	if exit := p.State.Metadata.Exit; exit != nil {
		b.ExitCode = loose.Code(int(*exit))
	}
	refused, reply := d.phrases.Rejected(string(p.State.Error))
	b.Rejected = refused
	failed := p.State.Status == "error" || b.ExitCode != nil && *b.ExitCode != 0
	b.IsError = loose.Flag(failed && !refused)
	if !failed {
		b.Patch = patch.Files(string(p.State.Metadata.Diff))
	}
	d.s.Add(b)
	d.s.User(reply, p.Time.Start.Time)
}

func body(summary json.RawMessage) string {
	var s struct {
		Body loose.String `json:"body"`
	}
	_ = json.Unmarshal(summary, &s)
	return string(s.Body)
}
