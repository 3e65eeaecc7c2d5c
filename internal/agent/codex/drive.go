package codex

import (
	"context"
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

// Drive drives Codex as a child process, `codex app-server`, by JSON-RPC over its standard streams. Items
// become turns as in its rollout files; interrupts steer the running turn; a halt interrupts it.
var Drive = drive.Way{Agent: Name, New: func(o drive.Options) (drive.Driver, error) { return New(o) }}

const (
	grace    = 3 * time.Second  // how long the agent has to exit before it is killed
	patience = 10 * time.Second // how long to wait for a reply
)

// Driver drives one process.
type Driver struct {
	options drive.Options

	mu      sync.Mutex // guards what follows
	rpc     *rpc
	threads map[string]*thread // by session
	said    map[string]string  // interrupt ids by their text
	halted  string
	idle    *time.Timer // running while the agent is idle
}

// New checks the command and returns the driver.
func New(o drive.Options) (*Driver, error) {
	if strings.TrimSpace(o.Prompt) == "" {
		return nil, errors.New("codex needs a prompt")
	}
	if len(o.Command) == 0 {
		return nil, errors.New("no command to run, such as: -- codex")
	}
	if !slices.Contains(o.Command, "app-server") {
		o.Command = append(slices.Clone(o.Command), "app-server")
	}
	return &Driver{options: o, threads: map[string]*thread{}, said: map[string]string{}}, nil
}

// Channel returns the channel's name in delivery facts.
func (d *Driver) Channel() string { return "drive:" + Name }

// Run starts the agent on its task and reads its turns until it ends.
func (d *Driver) Run(ctx context.Context, sink drive.Sink) error {
	agent, err := process.Start(process.Command{
		Args: d.options.Command, Dir: d.options.Dir, Env: d.options.Env, Stderr: d.options.Stderr, Problem: sink.Note,
	})
	if err != nil {
		return err
	}
	defer agent.StopWith(ctx, grace)()
	connection := newRPC(agent)
	d.mu.Lock()
	d.rpc = connection
	d.mu.Unlock()
	r := &reader{driver: d, sink: sink, agent: agent}
	begun := make(chan error, 1)
	go func() {
		err := d.begin(ctx, connection)
		if err != nil {
			agent.Stop(grace)
		}
		begun <- err
	}()
	readErr := r.messages(ctx)
	connection.end()
	d.end()
	agent.Stop(grace)
	return d.outcome(ctx, errors.Join(<-begun, readErr, agent.Wait(), r.close(ctx)))
}

// begin performs the handshake, starts a thread and sends it the task.
func (d *Driver) begin(ctx context.Context, c *rpc) error {
	client := map[string]any{"clientInfo": map[string]string{"name": "scaffoldwatch", "title": "scaffoldwatch", "version": d.options.Version}}
	if _, err := c.call(ctx, "initialize", client); err != nil {
		return err
	}
	if err := c.notify("initialized"); err != nil {
		return err
	}
	answer, err := c.call(ctx, "thread/start", map[string]any{})
	if err != nil {
		return err
	}
	var started struct {
		Thread struct {
			ID string `json:"id"`
		} `json:"thread"`
	}
	if err := json.Unmarshal(answer, &started); err != nil || started.Thread.ID == "" {
		return errors.New("codex started no thread")
	}
	_, err = c.call(ctx, "turn/start", turnInput(started.Thread.ID, d.options.Prompt))
	return err
}

func turnInput(thread, text string) map[string]any {
	return map[string]any{"threadId": thread, "input": []map[string]string{{"type": "text", "text": text}}}
}

// crashed reports whether a thread's turn was in progress when the agent exited by itself.
func (d *Driver) crashed(ctx context.Context, t *thread) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return t.turn != "" && d.halted == "" && ctx.Err() == nil
}

func (d *Driver) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.idle != nil {
		d.idle.Stop()
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

// Say steers the running turn: the text arrives after the running tool. If no turn is running, it begins
// one.
func (d *Driver) Say(ctx context.Context, m drive.Message) error {
	connection, id, turn, err := d.target(m)
	if err != nil {
		return err
	}
	input := turnInput(id, m.Text)
	if turn != "" {
		input["expectedTurnId"] = turn
		_, err = connection.call(ctx, "turn/steer", input)
		var refused *callError
		if !errors.As(err, &refused) {
			return gone(err)
		}
		delete(input, "expectedTurnId") // the turn has just ended
	}
	_, err = connection.call(ctx, "turn/start", input)
	return gone(err)
}

// target finds the thread of a message and registers its text.
func (d *Driver) target(m drive.Message) (connection *rpc, thread, turn string, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	t := d.threads[m.Session]
	if d.rpc == nil || t == nil || d.halted != "" {
		return nil, "", "", drive.ErrUnsupported
	}
	if d.idle != nil {
		d.idle.Stop()
		d.idle = nil
	}
	d.said[m.Text] = m.ID
	return d.rpc, t.id, t.turn, nil
}

// gone returns the error for an agent that has exited or rejected the message, so that it cannot be
// reached.
func gone(err error) error {
	var refused *callError
	if errors.Is(err, process.ErrEnded) || errors.As(err, &refused) {
		return fmt.Errorf("%w: %w", drive.ErrUnsupported, err)
	}
	return err
}

// Halt interrupts the turns in progress and ends the agent: its threads are one process.
func (d *Driver) Halt(ctx context.Context, session, reason string) error {
	d.mu.Lock()
	connection := d.rpc
	if d.away(session) {
		d.mu.Unlock()
		return drive.ErrUnsupported
	}
	if d.halted != "" {
		d.mu.Unlock()
		return nil
	}
	d.halted = reason
	connection.agent.Resume() // a paused agent receives nothing
	running := map[string]string{}
	for _, t := range d.threads {
		if t.turn != "" {
			running[t.id] = t.turn
		}
	}
	d.mu.Unlock()
	var problems []error
	for thread, turn := range running {
		_, err := connection.call(ctx, "turn/interrupt", map[string]any{"threadId": thread, "turnId": turn})
		if err != nil && !errors.Is(err, process.ErrEnded) {
			problems = append(problems, err)
		}
	}
	connection.agent.Stop(grace)
	return errors.Join(problems...)
}

// rest lets the agent exit if nothing is said within the linger time.
func (d *Driver) rest() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, t := range d.threads {
		if t.turn != "" {
			return
		}
	}
	d.idle = time.AfterFunc(d.options.Linger, d.rpc.agent.CloseInput)
}

// heard returns the interrupt with this text, "" if there is none.
func (d *Driver) heard(text string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.said[text]
}

func (d *Driver) haltReason() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.halted
}
