package sweagent

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/outcome"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// maxHeld limits how many bytes of steps wait for the task, which follows them.
const maxHeld = 32 << 20

type step struct {
	Action      loose.String `json:"action"`
	Observation loose.String `json:"observation"`
	Response    loose.String `json:"response"`
	Thought     loose.String `json:"thought"`
	State       state        `json:"state"`
	Query       []message    `json:"query"` // the model's input (1.1)
}

// state is the shell's state after the step: an object, or JSON in a string.
type state struct {
	OpenFile   string
	WorkingDir string
}

// UnmarshalJSON accepts any type.
func (s *state) UnmarshalJSON(b []byte) error {
	var v struct {
		OpenFile   loose.String `json:"open_file"`
		WorkingDir loose.String `json:"working_dir"`
	}
	if json.Unmarshal(loose.Object(b), &v) == nil {
		s.OpenFile, s.WorkingDir = string(v.OpenFile), string(v.WorkingDir)
	}
	return nil
}

type message struct {
	Role    loose.String `json:"role"`
	Content loose.Parts  `json:"content"`
	Thought loose.String `json:"thought"`
	Action  loose.String `json:"action"`
	IsDemo  loose.Bool   `json:"is_demo"`
}

// task returns the text of a message that states the task, "" for others.
func (m *message) task() string {
	if m.Role != "user" || bool(m.IsDemo) {
		return ""
	}
	return m.Content.Text()
}

type decoder struct {
	a       *transcript.Assembler
	s       *transcript.Session
	phrases *outcome.Phrases

	steps   int
	held    []step // held until the task is known
	bytes   int
	started bool // the task is known or given up
	file    editor
	last    *message
}

// Record reads a step or a message of the history.
func (d *decoder) Record(r record.Record) error {
	switch r.Key {
	case "trajectory":
		var s step
		if err := json.Unmarshal(r.Data, &s); err != nil {
			return fmt.Errorf("not a step: %w", err)
		}
		d.take(s, len(r.Data))
	case "history":
		var m message
		if err := json.Unmarshal(r.Data, &m); err != nil {
			return fmt.Errorf("not a message: %w", err)
		}
		d.message(&m)
	}
	return nil
}

func (d *decoder) take(s step, size int) {
	d.steps++
	if d.steps == 1 {
		for i := range s.Query {
			if task := s.Query[i].task(); task != "" {
				d.start(task)
				break
			}
		}
	}
	s.Query = nil
	if d.started {
		d.step(&s)
		return
	}
	d.held = append(d.held, s)
	if d.bytes += size; d.bytes > maxHeld {
		d.a.Problem("the task does not follow within %d bytes of steps; the turns continue without it", maxHeld)
		d.start("")
	}
}

// start assigns the task to the first turn and releases the held steps.
func (d *decoder) start(task string) {
	d.started = true
	d.s.User(d.phrases.UserText(task), time.Time{})
	for i := range d.held {
		d.step(&d.held[i])
	}
	d.held = nil
}

// message looks for the task. In a file without steps, the history is the transcript itself.
func (d *decoder) message(m *message) {
	if task := m.task(); task != "" && !d.started {
		d.start(task)
		return
	}
	if d.steps > 0 {
		return
	}
	switch {
	case m.Role == "assistant":
		d.pair("")
		d.last = m
	case m.Role == "user" || m.Role == "tool":
		d.pair(m.Content.Text())
	}
}

// pair combines a response and its observation into a step.
func (d *decoder) pair(observation string) {
	if m := d.last; m != nil {
		d.last = nil
		s := step{Action: m.Action, Thought: m.Thought, Observation: loose.String(observation)}
		if s.Thought == "" {
			s.Thought = loose.String(m.Content.Text())
		}
		d.step(&s)
	}
}

// End releases what is still held.
func (d *decoder) End() {
	if !d.started {
		d.start("")
	}
	d.pair("")
}

func (d *decoder) step(s *step) {
	d.s.SetWorkspace(s.State.WorkingDir)
	d.s.Begin("", time.Time{})
	text := string(s.Thought)
	if text == "" && s.Action == "" {
		text = string(s.Response)
	}
	d.s.Text(text)
	if s.Action != "" {
		d.act(s)
	}
}

// act adds the action as a call with its result. An edit is of the file that the observation shows; without
// one, of the file in the state, which old versions record before the action.
func (d *decoder) act(s *step) {
	before := d.file
	shown := d.file.show(string(s.Observation))
	if file := s.State.OpenFile; !shown && file != "" && file != "n/a" && file != d.file.path {
		d.file = editor{path: file}
	}
	during := d.file
	during.lines = nil
	if before.path == during.path {
		during.lines = before.lines
	}
	name, input, edit := action(string(s.Action), &during)
	id := d.s.Current()
	d.s.Call(id, name, input)
	result := sessionevents.Block{Type: sessionevents.BlockToolResult, ID: id, Output: string(s.Observation), Patch: edit}
	if len(edit) > 0 {
		result.IsError = loose.Flag(refused(result.Output))
	}
	d.s.Add(result)
}
