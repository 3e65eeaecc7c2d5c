package claudecode

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/drive"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/drive/process"
)

// Drive drives Claude Code as a child process over stream-json. Its lines become turns, interrupts are user
// messages with a priority, and a halt is a control request. Tokens and cost come from its stream.
var Drive = drive.Way{Agent: Name, New: func(o drive.Options) (drive.Driver, error) { return New(o) }}

// grace is how long the agent has to exit before it is killed.
const grace = 3 * time.Second

// Driver drives one process.
type Driver struct {
	options drive.Options

	mu      sync.Mutex // guards what follows
	agent   *process.Process
	session string
	said    map[string]string // interrupt ids by the uuid of their message
	halted  string
	idle    *time.Timer // running while the agent is idle
	forced  *time.Timer // running after a halt

	interrupts int // interrupts sent
}

// New checks the command and returns the driver.
func New(o drive.Options) (*Driver, error) {
	if strings.TrimSpace(o.Prompt) == "" {
		return nil, errors.New("claude-code needs a prompt")
	}
	command, err := withFlags(o.Command)
	if err != nil {
		return nil, err
	}
	o.Command = command
	return &Driver{options: o, said: map[string]string{}}, nil
}

// Channel returns the channel's name in delivery facts.
func (d *Driver) Channel() string { return "drive:" + Name }

// withFlags adds the flags for stream-json to the command.
func withFlags(command []string) ([]string, error) {
	if len(command) == 0 {
		return nil, errors.New("no command to run, such as: -- claude")
	}
	out := slices.Clone(command)
	if !slices.Contains(out, "-p") && !slices.Contains(out, "--print") {
		out = append(out, "-p")
	}
	for _, flag := range []string{"--input-format", "--output-format"} {
		value, given := valueOf(out, flag)
		switch {
		case !given:
			out = append(out, flag, "stream-json")
		case value != "stream-json":
			return nil, fmt.Errorf("%s %s: the driver needs stream-json; leave the flag out", flag, value)
		}
	}
	for _, flag := range []string{"--verbose", "--replay-user-messages", "--include-partial-messages"} {
		if !slices.Contains(out, flag) {
			out = append(out, flag)
		}
	}
	return out, nil
}

func valueOf(args []string, flag string) (value string, given bool) {
	for i, arg := range args {
		if after, ok := strings.CutPrefix(arg, flag+"="); ok {
			return after, true
		}
		if arg == flag && i+1 < len(args) {
			return args[i+1], true
		}
	}
	return "", false
}

// Run starts the agent on its task and reads its turns until it ends.
func (d *Driver) Run(ctx context.Context, sink drive.Sink) error {
	agent, err := process.Start(process.Command{
		Args: d.options.Command, Dir: d.options.Dir, Env: d.options.Env, Stderr: d.options.Stderr, Problem: sink.Note,
	})
	if err != nil {
		return err
	}
	defer agent.StopWith(ctx, grace)()
	d.mu.Lock()
	d.agent = agent
	d.mu.Unlock()
	if err := agent.Write(userMessage{Type: "user", Message: says(d.options.Prompt)}); err != nil {
		sink.Note(fmt.Sprintf("the task could not be sent: %v", err))
	}
	reader := &reader{driver: d, sink: sink}
	readErr := reader.lines(ctx, agent)
	d.end()
	agent.Stop(grace)
	return d.outcome(ctx, errors.Join(readErr, agent.Wait(), reader.close(ctx)))
}

// crashed reports whether an agent that exited in the middle of its task did so by itself.
func (d *Driver) crashed(ctx context.Context) bool { return ctx.Err() == nil && d.haltReason() == "" }

// end stops the timers: the agent has closed its output.
func (d *Driver) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, timer := range []*time.Timer{d.idle, d.forced} {
		if timer != nil {
			timer.Stop()
		}
	}
}

// outcome returns the result of Run: a halt is reported as such, whatever the exit code.
func (d *Driver) outcome(ctx context.Context, err error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.halted != "":
		return &drive.HaltedError{Reason: d.halted}
	case ctx.Err() != nil:
		return nil
	}
	return err
}

// userMessage is a line of stream-json input.
type userMessage struct {
	Type     string         `json:"type"`
	Message  content        `json:"message"`
	Parent   *string        `json:"parent_tool_use_id"`
	Priority drive.Priority `json:"priority,omitempty"`
	UUID     string         `json:"uuid,omitempty"`
}

type content struct {
	Role    string `json:"role"`
	Content []text `json:"content"`
}

type text struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

func says(s string) content { return content{Role: "user", Content: []text{{Type: "text", Text: s}}} }

// Say sends a user message. Both priorities arrive after the running tool; "now" would also end the request
// in progress, so all are sent as "next".
func (d *Driver) Say(_ context.Context, m drive.Message) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.agent == nil || m.Session != d.session || d.halted != "" {
		return drive.ErrUnsupported
	}
	if d.idle != nil {
		d.idle.Stop()
		d.idle = nil
	}
	uuid := uuidOf(m.ID)
	d.said[uuid] = m.ID
	err := d.agent.Write(userMessage{Type: "user", Message: says(m.Text), Priority: drive.Next, UUID: uuid})
	if errors.Is(err, process.ErrEnded) {
		return fmt.Errorf("%w: %w", drive.ErrUnsupported, err)
	}
	return err
}

// uuidOf returns a UUID derived from the interrupt's id, so that the agent itself recognises a repetition.
func uuidOf(id string) string {
	b := sha256.Sum256([]byte(id))
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:16])
}

type controlRequest struct {
	Type    string            `json:"type"`
	ID      string            `json:"request_id"`
	Request map[string]string `json:"request"`
}

// Halt interrupts the agent and ends it. Halting a subagent halts its parent: they are one process.
func (d *Driver) Halt(_ context.Context, session, reason string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.away(session) {
		return drive.ErrUnsupported
	}
	if d.halted != "" {
		return nil
	}
	d.halted = reason
	d.agent.Resume()   // a paused agent receives nothing
	if d.idle != nil { // nothing to interrupt
		d.agent.CloseInput()
		return nil
	}
	err := d.interrupt()
	agent := d.agent
	d.forced = time.AfterFunc(grace, func() { agent.Stop(grace) }) // in case the interrupt does not end it
	if errors.Is(err, process.ErrEnded) {
		return nil
	}
	return err
}

// interrupt stops the agent's current work; the caller holds the lock.
func (d *Driver) interrupt() error {
	d.interrupts++
	return d.agent.Write(controlRequest{Type: "control_request", ID: fmt.Sprintf("halt-%d", d.interrupts), Request: map[string]string{"subtype": "interrupt"}})
}

// goesOn interrupts an agent that makes another request after its halt: an interrupt that arrives just as a
// tool begins may stop only the tool (observed under load).
func (d *Driver) goesOn() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.halted != "" {
		_ = d.interrupt() // otherwise it is killed anyway
	}
}

// rest lets the agent exit if nothing is said within the linger time; a halted one exits now.
func (d *Driver) rest() {
	d.mu.Lock()
	defer d.mu.Unlock()
	agent := d.agent
	if d.halted != "" {
		agent.CloseInput()
		return
	}
	d.idle = time.AfterFunc(d.options.Linger, agent.CloseInput)
}

// heard returns the interrupt whose message has this uuid, "" if there is none.
func (d *Driver) heard(uuid string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.said[uuid]
}

func (d *Driver) setSession(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.session = id
}

func (d *Driver) haltReason() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.halted
}

// members are the members of a JSON object, as written.
type members map[string]json.RawMessage
