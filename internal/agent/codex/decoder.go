package codex

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/outcome"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

type decoder struct {
	s       *transcript.Session
	phrases *outcome.Phrases
	ended   bool // the open response is complete; the model's next item begins another
	twins   twins
	edits   map[string][]sessionevents.FilePatch // by call id, until the result arrives
	open    map[string]bool                      // calls without a result so far
	scripts map[string]*script                   // scripts among the open calls, by call id
	script  string                               // the latest script
	settled map[string]bool                      // ids of patches that an event has reported
}

func newDecoder(a *transcript.Assembler) *decoder {
	return &decoder{
		s: a.Main(), phrases: outcome.Default(), twins: twins{}, ended: true,
		edits: map[string][]sessionevents.FilePatch{}, open: map[string]bool{}, scripts: map[string]*script{}, settled: map[string]bool{},
	}
}

// Record reads one line.
func (d *decoder) Record(r record.Record) error {
	var l line
	if err := json.Unmarshal(r.Data, &l); err != nil {
		return fmt.Errorf("not a JSON object: %w", err)
	}
	if l.Payload == nil {
		return d.bare(r.Data, l.Timestamp.Time)
	}
	d.s.Saw(l.Timestamp.Time)
	switch l.Type {
	case "session_meta", "turn_context":
		d.context(string(l.Type), l.Payload)
	case "response_item":
		d.item(l.Payload, l.Timestamp.Time)
	case "event_msg":
		d.event(l.Payload, l.Timestamp.Time)
	case "compacted":
		d.s.Compacted()
	case "world_state", "session_state", "ghost_snapshot", "inter_agent_communication_metadata":
	default:
		d.s.Unknown(string(l.Type))
	}
	return nil
}

// bare reads a line of the first versions, which is the item itself.
func (d *decoder) bare(data []byte, at time.Time) error {
	var i item
	if err := json.Unmarshal(data, &i); err != nil {
		return fmt.Errorf("not a rollout item: %w", err)
	}
	d.s.Saw(at)
	if i.Type == "" {
		d.context("session_meta", &i)
		return nil
	}
	d.item(&i, at)
	return nil
}

// End has nothing to complete: every turn ends with its last line.
func (d *decoder) End() {}

func (d *decoder) context(kind string, i *item) {
	if kind == "session_meta" {
		d.meta(i)
	}
	d.s.SetWorkspace(string(i.CWD))
	d.s.SetModel(string(i.Model))
}

// meta identifies the session; a spawned agent's rollout names its parent thread.
func (d *decoder) meta(i *item) {
	if i.ID == "" {
		return
	}
	var source struct {
		Subagent struct {
			ThreadSpawn struct {
				Parent string `json:"parent_thread_id"`
				Role   string `json:"agent_role"`
			} `json:"thread_spawn"`
		} `json:"subagent"`
	}
	if len(i.Source) > 0 && i.Source[0] == '{' && json.Unmarshal(i.Source, &source) == nil {
		d.s.SetParent(source.Subagent.ThreadSpawn.Parent)
		d.s.SetArchetype(source.Subagent.ThreadSpawn.Role)
	}
	d.s.Name(string(i.ID))
}

// item reads the model's input or output.
func (d *decoder) item(i *item, at time.Time) {
	switch i.Type {
	case "message":
		d.message(i, at)
	case "reasoning":
		d.begin(at)
		text := i.Summary.Text()
		if text == "" {
			text = i.Content.Text()
		}
		d.think("item", text)
	case "function_call", "custom_tool_call", "local_shell_call", "tool_call", "tool_search_call", "web_search_call", "image_generation_call":
		d.begin(at)
		d.call(i)
	case "function_call_output", "custom_tool_call_output", "local_shell_call_output", "tool_search_output",
		"tool_result", "function_result":
		d.result(i)
	case "agent_message": // from another agent, to this one
	case "ghost_snapshot", "compaction", "compaction_summary", "context_compaction", "other":
	default:
		d.s.Unknown(string(i.Type))
	}
}

func (d *decoder) message(i *item, at time.Time) {
	switch i.Role {
	case "user":
		for p := range i.Content {
			d.user("item", i.Content[p].Text, at)
		}
	case "assistant":
		d.begin(at)
		d.say("item", i.Content.Text())
	}
}

// event reads what the harness showed on its screen. Messages of the model and the person also appear among
// the items: each counts once.
func (d *decoder) event(i *item, at time.Time) {
	switch i.Type {
	case "user_message":
		d.user("event", string(i.Message), at)
	case "agent_message":
		if !d.twins.seen("text", "event", string(i.Message)) {
			d.begin(at)
			d.s.Text(string(i.Message))
		}
	case "agent_reasoning":
		if !d.twins.seen("thinking", "event", string(i.Text)) {
			d.begin(at)
			d.s.Thinking(string(i.Text))
		}
	case "token_count":
		d.s.Usage(i.Info.usage())
		d.ended = d.ended || i.Info != nil
	case "turn_aborted":
		d.s.Stop("interrupted")
		d.ended = true
	case "error":
		d.s.Fail(transcript.StopError, at)
		d.ended = true
	case "task_complete":
		if !d.s.Failed() {
			d.s.Stop("end_turn")
		}
		d.ended = true
	case "context_compacted":
		d.s.Compacted()
	case "exec_command_end", "mcp_tool_call_end", "patch_apply_end":
		d.settle(i)
	case "item_completed":
		d.completed(i)
	}
}

// begin continues the open response, or begins the next one.
func (d *decoder) begin(at time.Time) {
	if d.ended || d.s.HasPending() {
		d.s.Begin("", at)
		d.ended = false
		d.twins.age()
	}
}

func (d *decoder) user(from, text string, at time.Time) {
	d.s.Instruct(d.phrases.Instructions(text))
	text = d.phrases.UserText(text)
	if text == "" || d.twins.seen("user", from, text) {
		return
	}
	d.s.User(text, at)
}

func (d *decoder) say(from, text string) {
	if text != "" && !d.twins.seen("text", from, text) {
		d.s.Text(text)
	}
}

func (d *decoder) think(from, text string) {
	for _, part := range strings.Split(text, "\n\n**") {
		if part != "" && d.twins.seen("thinking", from, part) {
			return
		}
	}
	d.s.Thinking(text)
}

// twins distinguishes a message that a second source repeats from one that was really said twice. It
// remembers the texts of the open response and the previous one.
type twins map[twin]*count

type twin struct{ kind, text string }

type count struct {
	of  map[string]int // source → number of times
	age int
}

// seen counts the text for a source and reports whether another source has already written it as often.
func (t twins) seen(kind, source, text string) bool {
	c := t[twin{kind, text}]
	if c == nil {
		c = &count{of: map[string]int{}}
		t[twin{kind, text}] = c
	}
	c.of[source]++
	for other, n := range c.of {
		if other != source && n >= c.of[source] {
			return true
		}
	}
	return false
}

// age forgets what was said before the last response.
func (t twins) age() {
	for key, c := range t {
		if c.age++; c.age > 2 {
			delete(t, key)
		}
	}
}
