package openhands

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/drive"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/sessionid"
)

// conversation is one conversation of the server. Running and halted are guarded by the driver's lock, the
// rest belongs to the reader.
type conversation struct {
	native  string
	live    *transcript.Live
	last    string // id of the last event read, "" before the first
	updated string // its update time when its events were last read
	ledger  drive.Ledger

	running bool
	halted  string
}

// info holds the fields of a conversation.
type info struct {
	ID      string `json:"id"`
	Status  string `json:"execution_status"`
	Updated string `json:"updated_at"`
}

// reader turns the server's data into turns.
type reader struct {
	driver *Driver
	sink   drive.Sink
}

// page is a page of any list.
type page[T any] struct {
	Items []T    `json:"items"`
	Next  string `json:"next_page_id"`
}

// look reads what is new in all conversations that are active or changed.
func (r *reader) look(ctx context.Context) error {
	query := url.Values{"limit": {"100"}}
	for {
		var list page[info]
		if err := r.driver.client.Get(ctx, "api/conversations/search", query, &list); err != nil {
			return err
		}
		for i := range list.Items {
			if err := r.conversation(ctx, &list.Items[i]); err != nil {
				return err
			}
		}
		if list.Next == "" || list.Next == query.Get("page_id") {
			return nil
		}
		query.Set("page_id", list.Next)
	}
}

// conversation reads one conversation. It ignores those that were done before the driver started.
func (r *reader) conversation(ctx context.Context, i *info) error {
	running := i.Status == "running" || i.Status == "waiting_for_confirmation"
	c, err := r.open(i, running)
	if err != nil || c == nil {
		return err
	}
	if running || c.updated != i.Updated {
		if err := r.events(ctx, c); err != nil {
			return err
		}
		c.updated = i.Updated
	}
	r.status(ctx, c, running)
	return nil
}

func (r *reader) open(i *info, running bool) (*conversation, error) {
	id := sessionid.Valid(i.ID)
	r.driver.mu.Lock()
	defer r.driver.mu.Unlock()
	if c := r.driver.conversations[id]; c != nil || !running || i.ID == "" {
		return c, nil
	}
	live := Transcript.Live(i.ID, transcript.Options{Run: r.driver.options.Run})
	c := &conversation{native: i.ID, live: live, running: true}
	r.driver.forget()
	r.driver.conversations[id] = c
	return c, nil
}

// maxConversations limits how many conversations are held at a time.
const maxConversations = 512

// forget drops the conversation that was idle longest if there are too many. A conversation that runs again
// is read again, which changes nothing (SW-1a). The caller holds the lock.
func (d *Driver) forget() {
	if len(d.conversations) < maxConversations {
		return
	}
	oldest := ""
	for id, c := range d.conversations {
		if !c.running && c.halted == "" && (oldest == "" || c.updated < d.conversations[oldest].updated) {
			oldest = id
		}
	}
	delete(d.conversations, oldest)
}

// status tracks whether a conversation is active.
func (r *reader) status(ctx context.Context, c *conversation, running bool) {
	id := sessionid.Valid(c.native)
	r.driver.mu.Lock()
	was := c.running
	c.running = running
	reason := c.halted
	r.driver.mu.Unlock()
	switch {
	case reason != "" && running && !was: // somebody made it continue
		if err := r.driver.Halt(ctx, id, reason); err != nil {
			r.sink.Note(fmt.Sprintf("%s was not paused again: %v", id, err))
		}
	case was && !running:
		c.live.Flush()
		if err := c.ledger.Hand(ctx, r.sink, c.live.Take()); err != nil {
			r.sink.Note(fmt.Sprintf("the last turn of %s could not be passed on: %v", id, err))
		}
		r.sink.Idle(ctx, id)
	}
}

// events reads the events after the last one read, page by page. A page that starts at an event begins with
// that event.
func (r *reader) events(ctx context.Context, c *conversation) error {
	query := url.Values{"limit": {"100"}, "sort_order": {"TIMESTAMP"}}
	from := c.last
	for {
		if from != "" {
			query.Set("page_id", from)
		}
		var list page[json.RawMessage]
		if err := r.driver.client.Get(ctx, c.path()+"/events/search", query, &list); err != nil {
			return err
		}
		for _, raw := range list.Items {
			if err := r.event(ctx, c, raw); err != nil {
				return err
			}
		}
		if list.Next == "" || list.Next == from {
			break // a page that links to itself would never end
		}
		from = list.Next
	}
	return r.settle(ctx, c)
}

// settle passes on complete turns.
func (r *reader) settle(ctx context.Context, c *conversation) error {
	c.live.Settle()
	return c.ledger.Hand(ctx, r.sink, c.live.Take())
}

// event feeds one event, unless it is our own message.
func (r *reader) event(ctx context.Context, c *conversation, raw json.RawMessage) error {
	var e struct {
		ID      string `json:"id"`
		Kind    string `json:"kind"`
		Source  string `json:"source"`
		Message struct {
			Content loose.Parts `json:"content"`
		} `json:"llm_message"`
	}
	if json.Unmarshal(raw, &e) != nil || e.ID == "" || e.ID == c.last {
		return nil
	}
	c.last = e.ID
	if e.Kind == "MessageEvent" && e.Source == "user" {
		if id := r.driver.heard(e.Message.Content.Text()); id != "" {
			err := r.settle(ctx, c) // earlier events do not answer it
			r.sink.Delivered(ctx, id)
			return err
		}
	}
	if err := c.live.Record(raw); err != nil {
		r.sink.Note(fmt.Sprintf("an event of OpenHands could not be read: %v", err))
	}
	return nil
}
