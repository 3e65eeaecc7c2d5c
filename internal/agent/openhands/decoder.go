package openhands

import (
	"encoding/json"
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/outcome"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// event is an action or an observation of version 0.
type event struct {
	ID          loose.String    `json:"id"`
	Timestamp   loose.Time      `json:"timestamp"`
	Source      loose.String    `json:"source"`
	Action      loose.String    `json:"action"`
	Args        json.RawMessage `json:"args"`
	Cause       loose.String    `json:"cause"`
	Observation json.RawMessage `json:"observation"` // a word; an object in the SDK
	Content     loose.String    `json:"content"`
	Message     loose.String    `json:"message"`
	Extras      extras          `json:"extras"`
	Success     *loose.Bool     `json:"success"`
	Metadata    struct {
		FunctionName  loose.String `json:"function_name"`
		ModelResponse struct {
			ID    loose.String `json:"id"`
			Model loose.String `json:"model"`
			Usage struct {
				Input  loose.Int `json:"prompt_tokens"`
				Output loose.Int `json:"completion_tokens"`
			} `json:"usage"`
		} `json:"model_response"`
	} `json:"tool_call_metadata"`

	sdkEvent
}

type extras struct {
	ExitCode *loose.Int `json:"exit_code"`
	Metadata struct {
		ExitCode   *loose.Int   `json:"exit_code"`
		WorkingDir loose.String `json:"working_dir"`
	} `json:"metadata"`
	Path  loose.String `json:"path"`
	Diff  loose.String `json:"diff"`
	State loose.String `json:"agent_state"`
}

// args are the fields that every action may have in addition to its own.
type args struct {
	Content loose.String `json:"content"`
	Thought loose.String `json:"thought"`
	Final   loose.String `json:"final_thought"`
}

type decoder struct {
	s       *transcript.Session
	phrases *outcome.Phrases
	ended   bool // an observation arrived: the agent's next action belongs to another response
}

// Record reads one event.
func (d *decoder) Record(r record.Record) error {
	var e event
	if err := json.Unmarshal(r.Data, &e); err != nil {
		return fmt.Errorf("not an event: %w", err)
	}
	d.s.Saw(e.Timestamp.Time)
	switch {
	case e.Kind != "":
		d.sdk(&e)
	case e.Action != "":
		d.action(&e)
	case len(e.Observation) > 0:
		d.observation(&e)
	default:
		d.s.Unsupported(sessionevents.UnsupportedRecord, "event")
	}
	return nil
}

// End has nothing to complete: every turn ends with its last event.
func (d *decoder) End() {}

// quiet actions are the harness's own.
var quiet = map[loose.String]bool{"system": true, "recall": true, "change_agent_state": true, "null": true, "condensation_request": true}

func (d *decoder) action(e *event) {
	var a args
	_ = json.Unmarshal(e.Args, &a)
	switch {
	case e.Action == "condensation":
		d.s.Compacted()
	case quiet[e.Action]:
	case e.Source == "user":
		if e.Action == "message" {
			d.s.User(d.phrases.UserText(string(a.Content)), e.Timestamp.Time)
		}
	case e.Source == "agent":
		d.agent(e, &a)
	}
}

// agent adds an action of the agent. Actions belong to one response while they name the same one or, if
// they name none, until an observation arrives.
func (d *decoder) agent(e *event, a *args) {
	m := &e.Metadata.ModelResponse
	d.begin(string(m.ID), e)
	d.s.SetModel(string(m.Model))
	d.s.Usage(&sessionevents.Usage{InputTokens: int64(m.Usage.Input), OutputTokens: int64(m.Usage.Output)})
	switch e.Action {
	case "message":
		d.s.Text(string(a.Content))
	case "think":
		d.s.Thinking(string(a.Thought))
	case "finish":
		d.s.Text(loose.Join(string(a.Thought), string(a.Final)))
		d.s.Stop("finish")
	default:
		d.s.Text(string(a.Thought))
		name := string(e.Metadata.FunctionName)
		if name == "" {
			name = string(e.Action)
		}
		d.s.Call(string(e.ID), name, without(e.Args, "thought"))
	}
}

func (d *decoder) begin(response string, e *event) {
	switch {
	case response != "":
		d.s.Begin(response, e.Timestamp.Time)
	case d.ended || d.s.HasPending():
		d.s.Begin("", e.Timestamp.Time)
	}
	d.ended = false
}

// without returns a JSON object without one member, whose text is elsewhere.
func without(object json.RawMessage, member string) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(object, &fields) != nil || fields[member] == nil {
		return loose.Object(object)
	}
	delete(fields, member)
	b, err := json.Marshal(fields)
	if err != nil {
		return loose.Object(object)
	}
	return b
}
