package opencode

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"sync"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/drive"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/drive/web"
)

// Drive drives OpenCode: the sessions of a server over HTTP. Its events show when a session has something
// new; the messages themselves are fetched, so that nothing is lost between two connections. An interrupt
// is a message without a reply, a halt an abort.
var Drive = drive.Way{Agent: Name, Server: "http://127.0.0.1:4096", New: func(o drive.Options) (drive.Driver, error) { return New(o) }}

// Driver drives the sessions of one server.
type Driver struct {
	options drive.Options
	client  *web.Client

	mu       sync.Mutex // guards what follows
	sessions map[string]*session
	said     map[string]string // interrupt ids by their text
}

// New checks the URL and returns the driver.
func New(o drive.Options) (*Driver, error) {
	client, err := web.New(authenticated(o), http.Header{})
	if err != nil {
		return nil, err
	}
	return &Driver{options: o, client: client, sessions: map[string]*session{}, said: map[string]string{}}, nil
}

// authenticated adds the credentials in OpenCode's own variables to an address without a user. A query in
// it, such as ?directory=/src/shop, is sent with every call.
func authenticated(o drive.Options) string {
	if o.Getenv == nil || o.Getenv("OPENCODE_SERVER_PASSWORD") == "" {
		return o.URL
	}
	to, err := url.Parse(o.URL)
	if err != nil || to.User != nil {
		return o.URL // the client rejects what is not an address
	}
	to.User = url.UserPassword(cmp.Or(o.Getenv("OPENCODE_SERVER_USERNAME"), "opencode"), o.Getenv("OPENCODE_SERVER_PASSWORD"))
	return to.String()
}

// Channel returns the channel's name in delivery facts.
func (d *Driver) Channel() string { return "drive:" + Name }

// Run reads turns until ctx ends. It waits for a server that disappears.
func (d *Driver) Run(ctx context.Context, sink drive.Sink) error {
	defer d.client.Close()
	r := &reader{driver: d, sink: sink}
	web.Again(ctx, func() bool { return r.listen(ctx) })
	return nil
}

// event holds the fields of an event of any type.
type event struct {
	Type       string `json:"type"`
	Properties struct {
		SessionID string `json:"sessionID"`
		Status    struct {
			Type string `json:"type"`
		} `json:"status"`
		Info struct {
			ID        string `json:"id"`
			SessionID string `json:"sessionID"`
			Role      string `json:"role"`
			Time      struct {
				Completed float64 `json:"completed"`
			} `json:"time"`
		} `json:"info"`
	} `json:"properties"`
}

// prompt is the body of prompt_async.
type prompt struct {
	NoReply bool            `json:"noReply"`
	Agent   string          `json:"agent,omitempty"`
	Model   json.RawMessage `json:"model,omitempty"`
	Parts   []part          `json:"parts"`
}

type part struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// Say adds a message: a busy agent reads it with its next request. An idle agent is made to continue only
// by a message that must not wait. Agent and model stay those of the session's last prompt.
func (d *Driver) Say(ctx context.Context, m drive.Message) error {
	s, err := d.reach(m.Session)
	if err != nil {
		return err
	}
	d.mu.Lock()
	p := prompt{NoReply: s.busy || m.Priority != drive.Now, Agent: s.agent, Model: s.model, Parts: []part{{"text", m.Text}}}
	d.said[m.Text] = m.ID
	d.mu.Unlock()
	return d.client.Post(ctx, "session/"+url.PathEscape(s.native)+"/prompt_async", p)
}

// Halt aborts what the session does, and aborts it again if somebody makes it continue.
func (d *Driver) Halt(ctx context.Context, id, reason string) error {
	s, err := d.reach(id)
	if err != nil {
		return err
	}
	d.mu.Lock()
	s.halted = reason
	d.mu.Unlock()
	return d.client.Post(ctx, "session/"+url.PathEscape(s.native)+"/abort", nil)
}

func (d *Driver) reach(id string) (*session, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if s := d.sessions[id]; s != nil {
		return s, nil
	}
	return nil, drive.ErrUnsupported
}

// heard returns the interrupt with this text, "" if there is none.
func (d *Driver) heard(text string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.said[text]
}

var errNoSession = errors.New("the server names no session")
