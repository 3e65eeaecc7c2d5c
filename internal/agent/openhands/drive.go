package openhands

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/drive"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/drive/web"
)

// Drive drives OpenHands: the conversations of an agent server over HTTP. Their events are polled, an
// interrupt is a user message, a halt a pause.
var Drive = drive.Way{Agent: Name, Server: "http://127.0.0.1:8000", New: func(o drive.Options) (drive.Driver, error) { return New(o) }}

// pace is the interval between two polls.
const pace = 500 * time.Millisecond

// Driver drives the conversations of one server.
type Driver struct {
	options drive.Options
	client  *web.Client
	every   time.Duration // interval between two polls

	mu            sync.Mutex // guards what follows
	conversations map[string]*conversation
	said          map[string]string // interrupt ids by their text
}

// New checks the URL and returns the driver.
func New(o drive.Options) (*Driver, error) {
	headers := http.Header{}
	if o.Getenv != nil && o.Getenv("SESSION_API_KEY") != "" {
		headers.Set("X-Session-API-Key", o.Getenv("SESSION_API_KEY"))
	}
	client, err := web.New(o.URL, headers)
	if err != nil {
		return nil, err
	}
	return &Driver{options: o, client: client, every: pace, conversations: map[string]*conversation{}, said: map[string]string{}}, nil
}

// Channel returns the channel's name in delivery facts.
func (d *Driver) Channel() string { return "drive:" + Name }

// Run reads turns until ctx ends. It waits for a server that disappears.
func (d *Driver) Run(ctx context.Context, sink drive.Sink) error {
	defer d.client.Close()
	r := &reader{driver: d, sink: sink}
	away := false
	web.Again(ctx, func() bool {
		err := r.look(ctx)
		switch {
		case ctx.Err() != nil:
		case err != nil && !away:
			away = true
			sink.Note(fmt.Sprintf("OpenHands at %s is away, waiting for it: %v", d.client.Address(), err))
		case err == nil && away:
			away = false
			sink.Note("OpenHands is back")
		}
		if err == nil {
			web.Wait(ctx, d.every)
		}
		return err == nil
	})
	return nil
}

// userMessage is the body of a message to a conversation.
type userMessage struct {
	Role    string `json:"role"`
	Content []text `json:"content"`
	Run     bool   `json:"run"`
}

type text struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// Say adds a user message: a busy agent reads it with its next step. An idle agent is made to continue only
// by a message that must not wait.
func (d *Driver) Say(ctx context.Context, m drive.Message) error {
	c, err := d.reach(m.Session)
	if err != nil {
		return err
	}
	d.mu.Lock()
	body := userMessage{Role: "user", Content: []text{{"text", m.Text}}, Run: !c.running && m.Priority == drive.Now}
	d.said[m.Text] = m.ID
	d.mu.Unlock()
	return d.client.Post(ctx, c.path()+"/events", body)
}

// Halt pauses the conversation, and again if somebody makes it continue. The running step is finished
// first.
func (d *Driver) Halt(ctx context.Context, id, reason string) error {
	c, err := d.reach(id)
	if err != nil {
		return err
	}
	d.mu.Lock()
	c.halted = reason
	d.mu.Unlock()
	return d.client.Post(ctx, c.path()+"/pause", nil)
}

func (d *Driver) reach(id string) (*conversation, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if c := d.conversations[id]; c != nil {
		return c, nil
	}
	return nil, drive.ErrUnsupported
}

// heard returns the interrupt with this text, "" if there is none.
func (d *Driver) heard(text string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.said[text]
}

func (c *conversation) path() string { return "api/conversations/" + url.PathEscape(c.native) }
