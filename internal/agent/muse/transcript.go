package muse

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/outcome"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Transcript recognises and reads session logs and exports.
var Transcript = transcript.Format{
	Name: Name, Title: "Muse Code session (JSONL, JSON of `muse export`)",
	Signs: "`payload_type` such as `runtime.session` with `payload`, `recorded_at` or `stream`; " +
		"or `export_schema_version` with `events`",
	Limits:    "0.1 to 1.4; subagents have logs of their own; reasoning is encrypted and not in it",
	Recognise: recognise,
	Members:   record.Members{Stream: []string{"events"}},
	Native:    "events",
	Decode: func(a *transcript.Assembler) transcript.Decoder {
		return &decoder{s: a.Main(), phrases: outcome.Default()}
	},
}

func recognise(h transcript.Head) int {
	return transcript.Best(h, func(p record.Probe) int {
		switch {
		case strings.HasPrefix(p["payload_type"], "runtime.") && p.Has("payload") &&
			(p.Has("recorded_at") || p.Has("stream")):
			return 90
		case p.Has("export_schema_version", "events[].envelope"):
			return 90
		case p.Is("retained_frame", "session_permission_transaction") && p.Has("children"):
			return 90
		}
		return 0
	})
}

// line is one record, an element of an export that contains one, or a frame of records.
type line struct {
	Envelope *line           `json:"envelope"`
	Children []child         `json:"children"`
	Stream   stream          `json:"stream"`
	At       loose.Time      `json:"recorded_at"`
	Type     loose.String    `json:"payload_type"`
	Payload  json.RawMessage `json:"payload"`
}

type stream struct {
	Kind loose.String `json:"kind"`
	ID   loose.String `json:"id"`
}

type child struct {
	Record loose.String `json:"record_json"`
}

type payload struct {
	Kind   loose.String `json:"kind"`
	Event  event        `json:"event"`
	Record struct {
		Folder loose.String `json:"workspace_root"`
		Model  loose.String `json:"model_id"`
	} `json:"record"`
}

type event struct {
	Kind     loose.String `json:"kind"`
	Prompt   loose.String `json:"prompt"`
	Message  loose.String `json:"message_id"`
	Response loose.String `json:"response_id"`
	Text     loose.String `json:"text"`
	Calls    []struct {
		ID     loose.String    `json:"id"`
		CallID loose.String    `json:"call_id"`
		Name   loose.String    `json:"name"`
		Args   json.RawMessage `json:"args"`
	} `json:"tool_calls"`
	Results []struct {
		CallID loose.String `json:"tool_call_id"`
		Text   loose.String `json:"text"`
	} `json:"results"`
	Model loose.String `json:"model"`
	Usage struct {
		Input  loose.Int `json:"input_tokens"`
		Output loose.Int `json:"output_tokens"`
		Cached loose.Int `json:"cached_tokens"`
		Read   loose.Int `json:"cache_read_tokens"`
		Write  loose.Int `json:"cache_write_tokens"`
	} `json:"usage"`
	Terminal loose.String `json:"terminal"`
	Source   struct {
		Source loose.String `json:"source"`
	} `json:"source"`
	Body   loose.String `json:"body"`
	Queued struct {
		Prompt loose.String `json:"prompt"`
	} `json:"payload"`
}

type decoder struct {
	s       *transcript.Session
	phrases *outcome.Phrases
	// usage is the cost of a response that has not appeared yet: the cost is reported before the response's
	// calls, and after its prose.
	usage *sessionevents.Usage
	paid  bool // the open response's cost is known
	open  bool // the response can continue
}

const maxFrames = 4 // nesting of frames in records

// Record reads a record, or those of a frame.
func (d *decoder) Record(r record.Record) error { return d.read(r.Data, 0) }

func (d *decoder) read(data []byte, depth int) error {
	var l line
	if err := json.Unmarshal(data, &l); err != nil && !loose.Mismatch(err) {
		return fmt.Errorf("not a record: %w", err)
	}
	if l.Envelope != nil {
		l = *l.Envelope
	}
	for _, c := range l.Children {
		if depth >= maxFrames {
			break
		}
		if err := d.read([]byte(c.Record), depth+1); err != nil {
			return fmt.Errorf("in a frame: %w", err)
		}
	}
	if l.Stream.Kind != "session" && l.Stream.Kind != "" {
		return nil // from a subagent, which has a log of its own
	}
	var p payload
	if len(l.Payload) > 0 {
		if err := json.Unmarshal(l.Payload, &p); err != nil && !loose.Mismatch(err) {
			return fmt.Errorf("payload: %w", err)
		}
	}
	d.s.Name(string(l.Stream.ID))
	d.s.Saw(l.At.Time)
	switch {
	case p.Record.Folder != "" || p.Record.Model != "":
		d.s.SetWorkspace(string(p.Record.Folder))
		d.s.SetModel(string(p.Record.Model))
	case l.Type == "runtime.session" && p.Kind == "run", l.Type == "runtime.session" && p.Kind == "":
		d.event(&p.Event, l.At.Time)
	}
	return nil
}

// End has nothing to complete: every turn ends with its last record.
func (d *decoder) End() {}

// aside are events that are not about the agent's actions, or that duplicate others.
var aside = map[string]bool{
	"": true, "user_prompt_display": true, "reasoning_summary_delta": true, "model_request_configured": true,
	"provider_request_options_configured": true, "model_input_trace_recorded": true, "model_response_created": true,
	"proposed": true, "accepted": true, "scheduled": true, "status": true, "output": true, "tool_delta": true,
	"tool_output_ref": true, "tool_result_model_visible_content": true, "tool_results_cleared": true,
	"completed": true, "failed": true, "cancelled": true, "timed_out": true, "rejected": true,
	"side_effect_intent": true, "task_stream_linked": true, "task_backgrounded": true,
	"user_input_prompt_requested": true, "user_input_prompt_settled": true, "requested": true,
	"decision_applied": true, "stage_requirement_resolved": true, "automated_review_started": true,
	"automated_review_completed": true, "context_compaction_candidate": true, "context_projection_checkpoint": true,
	"todo_snapshot_updated": true, "resource_usage_sampled": true, "run_retracted": true,
}

// asidePrefixes begin the names of whole families of such events.
var asidePrefixes = []string{
	"context_block_", "goal_", "skill_", "hook_run_", "inbox_", "reminder_", "memory_", "workflow_",
}

func (d *decoder) event(e *event, at time.Time) {
	switch e.Kind {
	case "started":
		d.open = false
		d.phrases.Heard(d.s, string(e.Prompt), at)
	case "inbox_item_queued":
		if e.Source.Source == "user_steer" { // typed while a response was in progress
			d.phrases.Heard(d.s, either(e.Queued.Prompt, e.Body), at)
		}
	case "reasoning_committed", "reasoning_summary_committed":
		if e.Text != "" {
			d.begin(e, at)
			d.s.Thinking(string(e.Text))
		}
	case "assistant_message_committed":
		d.begin(e, at)
		d.s.Text(string(e.Text))
	case "assistant_tool_calls_committed":
		d.begin(e, at)
		for _, c := range e.Calls {
			d.s.Call(either(c.CallID, c.ID), string(c.Name), loose.Object(c.Args))
		}
	case "tool_result_batch_committed":
		d.results(e, at)
	case "model_completed":
		d.cost(e)
	case "context_compaction_installed":
		d.s.Compacted()
	case "terminal":
		d.ended(e, at)
	default:
		for _, prefix := range asidePrefixes {
			if strings.HasPrefix(string(e.Kind), prefix) {
				return
			}
		}
		if !aside[string(e.Kind)] {
			d.s.Unknown(string(e.Kind))
		}
	}
}

// begin continues the response, or begins the next one. Messages of one response share its id; without an
// id, what follows a result is another response.
func (d *decoder) begin(e *event, at time.Time) {
	before := d.s.Current()
	switch {
	case e.Response != "":
		d.s.Begin(string(e.Response), at)
	case !d.open || d.s.HasPending():
		d.s.Begin(string(e.Message), at)
	}
	d.open = true
	if d.s.Current() != before {
		d.paid = d.usage != nil
		d.s.Usage(d.usage)
		d.usage = nil
	}
}

// cost sets the cost of the open response, or keeps it for the following one.
func (d *decoder) cost(e *event) {
	d.s.SetModel(string(e.Model))
	u := &e.Usage
	d.usage = &sessionevents.Usage{
		InputTokens: int64(u.Input), OutputTokens: int64(u.Output), CacheRead: int64(max(u.Cached, u.Read)),
		CacheWrite: int64(u.Write),
	}
	if d.open && !d.paid {
		d.s.Usage(d.usage)
		d.usage, d.paid = nil, true
	}
}

// results adds a batch of results; the shell's is a JSON object in text.
func (d *decoder) results(e *event, at time.Time) {
	for _, r := range e.Results {
		b := sessionevents.Block{Type: sessionevents.BlockToolResult, ID: string(r.CallID), Output: string(r.Text)}
		var shell struct {
			ExitCode *loose.Int    `json:"exit_code"`
			Status   loose.String  `json:"terminal_status"`
			Output   *loose.String `json:"output"`
		}
		if strings.HasPrefix(b.Output, "{") && json.Unmarshal([]byte(b.Output), &shell) == nil && shell.Output != nil {
			b.Output = string(*shell.Output)
			if shell.ExitCode != nil {
				b.ExitCode = loose.Code(int(*shell.ExitCode))
			}
		}
		failed := shell.Status == "failed" || strings.HasPrefix(b.Output, "tool failed:")
		reply := d.phrases.Ended(&b, failed)
		d.s.Add(b)
		d.s.User(reply, at)
	}
	d.open = false
}

// ended records how a run ended.
func (d *decoder) ended(e *event, at time.Time) {
	d.open = false
	switch e.Terminal {
	case "completed":
		d.s.Stop("end_turn")
	case "cancelled", "interrupted":
		d.s.Stop("interrupted")
	case "failed", "error":
		d.s.Fail(transcript.StopError, at)
	default:
		d.s.Stop(string(e.Terminal))
	}
}

// either returns the first text that is not empty.
func either(texts ...loose.String) string {
	for _, t := range texts {
		if t != "" {
			return string(t)
		}
	}
	return ""
}
