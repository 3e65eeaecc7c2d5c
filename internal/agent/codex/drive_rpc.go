package codex

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/drive/process"
)

// message is any message of the protocol: a request has a method and an id, a notification only a method, a
// reply only an id. It is JSON-RPC 2.0 without the version member.
type message struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *callError      `json:"error,omitempty"`
	// EmittedAt is when a notification was sent, in Unix milliseconds; 0 in versions that do not report it.
	EmittedAt int64 `json:"emittedAtMs,omitempty"`
}

// callError is a reply that reports an error.
type callError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// Error returns the agent's message.
func (e *callError) Error() string { return fmt.Sprintf("codex answered %d: %s", e.Code, e.Message) }

// rpc matches replies with calls.
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

// call sends a request and waits for its reply. It returns a callError if the agent rejected the request,
// and wraps process.ErrEnded if the agent has exited.
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

// answered passes a reply to the call that waits for it.
func (c *rpc) answered(m message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if answer := c.waiting[string(m.ID)]; answer != nil {
		delete(c.waiting, string(m.ID))
		answer <- m
	}
}

// end fails all pending calls: nothing more will arrive.
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
