package codex

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/drive/process"
)

// message is any message of the protocol: a request has a method and an id, a
// notification only a method, an answer only an id. JSON-RPC 2.0 without its
// version member.
type message struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *callError      `json:"error,omitempty"`
	// EmittedAt is when a notification was sent, in Unix milliseconds; 0 in
	// versions that do not say.
	EmittedAt int64 `json:"emittedAtMs,omitempty"`
}

// callError is an answer that says no.
type callError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// Error is what the agent said.
func (e *callError) Error() string { return fmt.Sprintf("codex answered %d: %s", e.Code, e.Message) }

// rpc matches answers with calls.
type rpc struct {
	agent *process.Process

	mu      sync.Mutex // guards what follows
	last    int
	waiting map[string]chan message
	ended   bool
}

func newRPC(agent *process.Process) *rpc {
	return &rpc{agent: agent, waiting: map[string]chan message{}}
}

type request struct {
	ID     int    `json:"id,omitempty"`
	Method string `json:"method"`
	Params any    `json:"params,omitempty"`
}

// call sends a request and waits for its answer. The error is a callError where
// the agent refused, and wraps process.ErrEnded where it is gone.
func (c *rpc) call(ctx context.Context, method string, params any) (json.RawMessage, error) {
	id, answer, err := c.expect()
	if err != nil {
		return nil, err
	}
	defer c.drop(id)
	if err := c.agent.Write(request{ID: id, Method: method, Params: params}); err != nil {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case m, ok := <-answer:
		switch {
		case !ok:
			return nil, fmt.Errorf("%s: %w", method, process.ErrEnded)
		case m.Error != nil:
			return nil, fmt.Errorf("%s: %w", method, m.Error)
		}
		return m.Result, nil
	case <-timer.C:
		return nil, fmt.Errorf("%s: no answer for %s", method, patience)
	case <-ctx.Done():
		return nil, fmt.Errorf("%s: %w", method, context.Cause(ctx))
	}
}

func (c *rpc) expect() (int, chan message, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return 0, nil, process.ErrEnded
	}
	c.last++
	answer := make(chan message, 1)
	c.waiting[fmt.Sprint(c.last)] = answer
	return c.last, answer, nil
}

func (c *rpc) drop(id int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.waiting, fmt.Sprint(id))
}

// answered passes an answer to the call that waits for it.
func (c *rpc) answered(m message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if answer := c.waiting[string(m.ID)]; answer != nil {
		delete(c.waiting, string(m.ID))
		answer <- m
	}
}

// end fails all calls that wait: nothing more comes.
func (c *rpc) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	for id, answer := range c.waiting {
		delete(c.waiting, id)
		close(answer)
	}
}

func (c *rpc) notify(method string) error { return c.agent.Write(request{Method: method}) }
