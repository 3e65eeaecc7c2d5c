package acp

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/outcome"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Transcript recognises and reads logs of the protocol.
var Transcript = transcript.Format{
	Name: Name, Title: "Agent Client Protocol log (JSONL)",
	Signs:     "`method` `session/update` with `params.update`, or `sessionId` with `update.sessionUpdate`",
	Limits:    "protocol version 1; the text of a response comes in pieces",
	Recognise: func(h transcript.Head) int { return transcript.Best(h, confidence) },
	Decode: func(a *transcript.Assembler) transcript.Decoder {
		return &decoder{a: a, phrases: outcome.Default(), states: map[*transcript.Session]*state{}}
	},
}

func confidence(p record.Probe) int {
	switch {
	case p.Is("method", "session/update") && p.Has("params.sessionId", "params.update"):
		return 92
	case p.Has("sessionId", "update.sessionUpdate"):
		return 90
	case p.Is("method", "session/prompt", "session/new", "session/load") && p.Is("params",
		"{") && p.Is("jsonrpc", "2.0"):
		return 85
	}
	return 0
}

type line struct {
	Method loose.String `json:"method"`
	Params struct {
		SessionID loose.String `json:"sessionId"`
		CWD       loose.String `json:"cwd"`
		Update    update       `json:"update"`
		Prompt    loose.Parts  `json:"prompt"`
	} `json:"params"`
	Result struct {
		SessionID loose.String `json:"sessionId"`
		Stop      loose.String `json:"stopReason"`
	} `json:"result"`
	Error     json.RawMessage `json:"error"`
	Timestamp loose.Time      `json:"timestamp"`
	// For a notification without its envelope.
	SessionID loose.String `json:"sessionId"`
	Update    *update      `json:"update"`
}

type update struct {
	Kind    loose.String    `json:"sessionUpdate"`
	Content json.RawMessage `json:"content"` // a part, or the list of a call's contents
	CallID  loose.String    `json:"toolCallId"`
	Title   loose.String    `json:"title"`
	Tool    loose.String    `json:"kind"` // read, edit, execute …
	Status  loose.String    `json:"status"`
	Input   json.RawMessage `json:"rawInput"`
	Output  json.RawMessage `json:"rawOutput"`
	Entries []struct {
		Content loose.String `json:"content"`
		Status  loose.String `json:"status"`
	} `json:"entries"`
	Meta struct {
		Claude struct {
			Tool loose.String `json:"toolName"`
		} `json:"claudeCode"`
	} `json:"_meta"`
}

// state is what is pending in a session.
type state struct {
	person, text, thought strings.Builder
	calls                 map[string]*update // those without a result
	acted                 bool               // a result arrived: what follows belongs to another response
	plans                 int
}

const maxOpen = 1000 // calls without a result to remember

type decoder struct {
	a       *transcript.Assembler
	phrases *outcome.Phrases
	states  map[*transcript.Session]*state
	order   []*transcript.Session // in order of appearance
}

// Record reads one message.
func (d *decoder) Record(r record.Record) error {
	var l line
	if err := json.Unmarshal(r.Data, &l); err != nil && !loose.Mismatch(err) {
		return fmt.Errorf("not a message of the protocol: %w", err)
	}
	id, u := string(l.Params.SessionID), &l.Params.Update
	if l.Update != nil {
		id, u = string(l.SessionID), l.Update
	}
	if id == "" {
		id = string(l.Result.SessionID)
	}
	s := d.a.Session(id)
	s.Saw(l.Timestamp.Time)
	s.SetWorkspace(string(l.Params.CWD))
	st := d.states[s]
	if st == nil {
		st = &state{calls: map[string]*update{}}
		d.states[s] = st
		d.order = append(d.order, s)
	}
	switch {
	case l.Method == "session/prompt":
		d.flush(s, st)
		s.User(d.phrases.UserText(l.Params.Prompt.Text()), l.Timestamp.Time)
	case l.Result.Stop != "":
		d.flush(s, st)
		s.Stop(string(l.Result.Stop))
		st.acted = true
	case l.Method == "session/cancel":
		d.flush(s, st)
		s.Stop("interrupted")
	case u.Kind != "":
		d.update(s, st, u)
	case l.Method == "" || !strings.HasPrefix(string(l.Method), "session/update"):
	default:
		s.Unsupported(sessionevents.UnsupportedRecord, string(l.Method))
	}
	return nil
}

// End completes what arrived in pieces.
func (d *decoder) End() {
	for _, s := range d.order {
		d.flush(s, d.states[s])
	}
}

func (d *decoder) update(s *transcript.Session, st *state, u *update) {
	switch u.Kind {
	case "user_message_chunk":
		if st.text.Len()+st.thought.Len() > 0 {
			d.flush(s, st)
		}
		st.person.WriteString(loose.Text(u.Content))
	case "agent_message_chunk":
		d.speaks(s, st)
		st.text.WriteString(loose.Text(u.Content))
	case "agent_thought_chunk":
		d.speaks(s, st)
		st.thought.WriteString(loose.Text(u.Content))
	case "tool_call", "tool_call_update":
		d.call(s, st, u)
	case "plan":
		d.plan(s, st, u)
	case "available_commands_update", "current_mode_update", "config_option_update", "session_info_update",
		"usage_update":
	default:
		s.Unknown(string(u.Kind))
	}
}

// speaks notes that the agent continues: the person's message before that is complete.
func (d *decoder) speaks(s *transcript.Session, st *state) {
	if st.person.Len() > 0 {
		d.flush(s, st)
	}
}

// flush adds what arrived in pieces.
func (d *decoder) flush(s *transcript.Session, st *state) {
	if st.person.Len() > 0 {
		s.User(d.phrases.UserText(st.person.String()), s.Last())
		st.person.Reset()
	}
	if st.thought.Len()+st.text.Len() == 0 {
		return
	}
	d.begin(s, st)
	s.Thinking(st.thought.String())
	s.Text(st.text.String())
	st.thought.Reset()
	st.text.Reset()
}

func (d *decoder) begin(s *transcript.Session, st *state) {
	if st.acted || s.HasPending() || s.Current() == "" {
		s.Begin("", s.Last())
		st.acted = false
	}
}

// call follows a call, which arrives in pieces as well: it is added once its arguments are complete or its
// result arrives.
func (d *decoder) call(s *transcript.Session, st *state, u *update) {
	d.flush(s, st)
	id := string(u.CallID)
	open := st.calls[id]
	if open == nil {
		if open = u; len(st.calls) < maxOpen {
			st.calls[id] = open
		}
		d.begin(s, st)
		s.Call(id, u.name(), u.input())
	} else if len(u.Input) > 0 || u.Title != "" {
		open.merge(u)
		s.Amend(sessionevents.BlockToolCall, id, func(b *sessionevents.Block) {
			b.Name, b.Input = open.name(),
				open.input()
		})
	}
	if u.Status != "completed" && u.Status != "failed" {
		return
	}
	delete(st.calls, id)
	s.Add(u.result(id))
	st.acted = true
}

func (u *update) merge(later *update) {
	if len(later.Input) > 0 {
		u.Input = later.Input
	}
	if later.Title != "" {
		u.Title = later.Title
	}
	if later.Meta.Claude.Tool != "" {
		u.Meta = later.Meta
	}
}

// kinds maps the protocol's kinds of calls to tool names.
var kinds = map[loose.String]string{
	"execute": "shell", "read": "read_file", "edit": "edit_file", "search": "grep", "fetch": "fetch",
	"delete": "delete_file", "think": "think",
}

func (u *update) name() string {
	switch {
	case u.Meta.Claude.Tool != "":
		return string(u.Meta.Claude.Tool)
	case kinds[u.Tool] != "":
		return kinds[u.Tool]
	}
	return string(u.Title)
}

// input returns the arguments of the call; a command that only the title shows is taken from there.
func (u *update) input() json.RawMessage {
	if input := loose.Object(u.Input); len(input) > 0 && string(input) != "{}" {
		return input
	}
	if title := strings.Trim(string(u.Title), "`"); u.Tool == "execute" && title != "" {
		input, err := json.Marshal(map[string]string{"command": title})
		if err == nil {
			return input
		}
	}
	return nil
}

// contentOf is one content of a call: text, a difference, or a terminal.
type contentOf struct {
	Type    loose.String    `json:"type"`
	Content json.RawMessage `json:"content"`
	Path    loose.String    `json:"path"`
	Old     *string         `json:"oldText"`
	New     loose.String    `json:"newText"`
}

func (u *update) result(id string) sessionevents.Block {
	b := sessionevents.Block{Type: sessionevents.BlockToolResult, ID: id, IsError: loose.Flag(u.Status == "failed")}
	var list []contentOf
	_ = json.Unmarshal(u.Content, &list) // absent, or of another shape
	for _, c := range list {
		if c.Type == "content" {
			b.Output = loose.Join(b.Output, loose.Text(c.Content))
		} else if c.Type == "diff" && c.Path != "" && u.Status != "failed" {
			b.Patch = append(b.Patch, c.patch())
		}
	}
	var raw struct {
		ExitCode  *loose.Int `json:"exitCode"`
		ExitCode2 *loose.Int `json:"exit_code"`
	}
	_ = json.Unmarshal(u.Output, &raw) // absent, or of another shape
	if raw.ExitCode == nil {
		raw.ExitCode = raw.ExitCode2
	}
	if raw.ExitCode != nil {
		b.ExitCode = loose.Code(int(*raw.ExitCode))
		b.IsError = loose.Flag(u.Status == "failed" || *b.ExitCode != 0)
	}
	if b.Output == "" {
		b.Output = loose.Text(u.Output)
	}
	return b
}

// patch returns a difference as a hunk at the beginning of its file: the protocol has only texts.
func (c *contentOf) patch() sessionevents.FilePatch {
	f := sessionevents.FilePatch{Path: string(c.Path), Op: sessionevents.DiffUpdate}
	var lines []string
	if c.Old == nil {
		f.Op = sessionevents.DiffCreate
	} else {
		for _, l := range strings.Split(strings.TrimSuffix(*c.Old, "\n"), "\n") {
			lines = append(lines, "-"+l)
		}
	}
	for _, l := range strings.Split(strings.TrimSuffix(string(c.New), "\n"), "\n") {
		lines = append(lines, "+"+l)
	}
	f.Hunks = []sessionevents.Hunk{{OldStart: 1, NewStart: 1, Lines: lines}}
	return f
}

func (d *decoder) plan(s *transcript.Session, st *state, u *update) {
	d.flush(s, st)
	items := []map[string]string{}
	for _, e := range u.Entries {
		items = append(items, map[string]string{"content": string(e.Content), "status": string(e.Status)})
	}
	input, err := json.Marshal(map[string]any{"todos": items})
	if err != nil {
		return
	}
	d.begin(s, st)
	st.plans++
	s.Call(fmt.Sprintf("plan-%d", st.plans), "update_plan", input)
}
