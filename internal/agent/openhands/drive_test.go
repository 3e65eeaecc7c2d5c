package openhands

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/drive"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/drive/drivetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type object = map[string]any

const (
	work = "0b9d4f6e-0000-4000-8000-000000000001"
	old  = "0b9d4f6e-0000-4000-8000-000000000002" // done before the driver came
)

// fakeServer is an agent server with two conversations, of the shapes of its
// routers; a page has two items.
type fakeServer struct {
	*httptest.Server

	mu      sync.Mutex
	status  string
	version int // of the conversation
	events  []object
	said    []userMessage
	paused  int
	read    int // pages of events that were read
	refuse  bool
	keys    map[string]bool
}

func newServer(t *testing.T) *fakeServer {
	t.Helper()
	f := &fakeServer{status: "running", keys: map[string]bool{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/conversations/search", f.search)
	mux.HandleFunc("GET /api/conversations/{id}/events/search", f.page)
	mux.HandleFunc("POST /api/conversations/{id}/events", f.say)
	mux.HandleFunc("POST /api/conversations/{id}/pause", func(w http.ResponseWriter, _ *http.Request) {
		f.mu.Lock()
		f.paused++
		f.mu.Unlock()
		fmt.Fprint(w, `{"success":true}`)
	})
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		refuse := f.refuse
		f.keys[r.Header.Get("X-Session-API-Key")] = true
		f.mu.Unlock()
		if refuse {
			http.Error(w, "starting", http.StatusBadGateway)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(f.Server.Close)
	return f
}

func (f *fakeServer) search(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	items, next := []object{{"id": old, "execution_status": "finished", "updated_at": "1"}}, any("second")
	if r.URL.Query().Get("page_id") == "second" {
		items, next = []object{{"id": work, "execution_status": f.status, "updated_at": fmt.Sprint(f.version)}}, nil
	}
	_ = json.NewEncoder(w).Encode(object{"items": items, "next_page_id": next})
}

func (f *fakeServer) page(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.read++
	if r.PathValue("id") != work {
		http.Error(w, "not the one at work", http.StatusTeapot)
		return
	}
	from := max(0, slices.IndexFunc(f.events, func(e object) bool { return e["id"] == r.URL.Query().Get("page_id") }))
	rest, next := f.events[from:], any(nil)
	if len(rest) > 2 {
		rest, next = rest[:2], rest[2]["id"]
	}
	_ = json.NewEncoder(w).Encode(object{"items": rest, "next_page_id": next})
}

func (f *fakeServer) say(w http.ResponseWriter, r *http.Request) {
	var m userMessage
	_ = json.NewDecoder(r.Body).Decode(&m)
	f.mu.Lock()
	f.said = append(f.said, m)
	f.mu.Unlock()
	f.add(user(m.Content[0].Text))
	fmt.Fprint(w, `{"success":true}`)
}

func (f *fakeServer) add(list ...object) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, e := range list {
		e["id"] = fmt.Sprintf("e-%d", len(f.events)+1)
		f.events = append(f.events, e)
	}
	f.version++
}

func (f *fakeServer) set(status string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.status = status
	f.version++
}

func user(text string) object {
	return object{"kind": "MessageEvent", "source": "user", "llm_message": object{"role": "user", "content": []object{{"type": "text", "text": text}}}}
}

func fakeAgent(text string) object {
	return object{"kind": "MessageEvent", "source": "agent", "llm_message": object{"role": "assistant", "content": []object{{"type": "text", "text": text}}}}
}

func action(response, call string) object {
	return object{"kind": "ActionEvent", "source": "agent", "llm_response_id": response, "thought": []object{{"type": "text", "text": "looking"}}, "tool_name": "terminal", "tool_call_id": call, "tool_call": object{"arguments": `{"command":"ls"}`}}
}

func observation(call string) object {
	return object{"kind": "ObservationEvent", "source": "environment", "tool_call_id": call, "tool_name": "terminal", "observation": object{"content": []object{{"type": "text", "text": "shop.go"}}, "exit_code": 0}}
}

func join(t *testing.T, f *fakeServer) (*Driver, *drivetest.Recorder) {
	t.Helper()
	d, err := New(drive.Options{URL: f.URL, Run: "r1", Getenv: func(name string) string { return map[string]string{"SESSION_API_KEY": "key-1"}[name] }})
	require.NoError(t, err)
	d.every = time.Millisecond
	sink := &drivetest.Recorder{}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- d.Run(ctx, sink) }()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-ended)
	})
	return d, sink
}

func turns(n int) func(drivetest.Seen) bool {
	return func(s drivetest.Seen) bool { return len(s.Turns) >= n }
}

// TestTurns makes a turn of each response as soon as its calls are answered, the
// last one when the conversation rests, and leaves alone what is done.
func TestTurns(t *testing.T) {
	f := newServer(t)
	_, sink := join(t, f)
	f.add(user("list the shops"), action("resp_1", "c1"), action("resp_1", "c2"), observation("c1"))
	require.Eventually(t, func() bool { f.mu.Lock(); defer f.mu.Unlock(); return f.read > 5 }, time.Minute, time.Millisecond)
	require.Empty(t, sink.Seen().Turns, "a call has no result yet")
	f.add(observation("c2"))
	sink.Wait(t, "the first turn", turns(1))
	f.add(fakeAgent("done"))
	f.set("finished")
	seen := sink.Wait(t, "the end", func(s drivetest.Seen) bool { return len(s.Idle) > 0 })
	require.Equal(t, []string{
		work + " | user list the shops | text looking | call terminal | text looking | call terminal | result shop.go | result shop.go",
		work + " | text done",
	}, drivetest.Outlines(seen.Turns))
	require.Equal(t, "r1", seen.Turns[0].Run)
	require.Empty(t, seen.Notes)
	f.mu.Lock()
	defer f.mu.Unlock()
	require.Equal(t, map[string]bool{"key-1": true}, f.keys)
}

// TestSay adds a user message; an idle agent is made to go on only by what must
// not wait.
func TestSay(t *testing.T) {
	f := newServer(t)
	d, sink := join(t, f)
	require.ErrorIs(t, d.Say(t.Context(), drive.Message{ID: "i0", Session: "other"}), drive.ErrUnsupported)
	f.add(action("resp_1", "c1"), observation("c1"))
	sink.Wait(t, "a turn", turns(1))
	require.NoError(t, d.Say(t.Context(), drive.Message{ID: "i1", Session: work, Text: "a note", Priority: drive.Now}))
	f.add(action("resp_2", "c2"), observation("c2"))
	seen := sink.Wait(t, "the answer", turns(2))
	require.Equal(t, []string{"i1"}, seen.Delivered)
	require.NotContains(t, drivetest.Outline(seen.Turns[1]), "a note")
	f.set("paused")
	sink.Wait(t, "idle", func(s drivetest.Seen) bool { return len(s.Idle) > 0 })
	require.NoError(t, d.Say(t.Context(), drive.Message{ID: "i2", Session: work, Text: "later", Priority: drive.Next}))
	require.NoError(t, d.Say(t.Context(), drive.Message{ID: "i3", Session: work, Text: "at once", Priority: drive.Now}))
	require.Equal(t, []bool{false, false, true}, []bool{f.said[0].Run, f.said[1].Run, f.said[2].Run})
}

// TestHaltSticks pauses, and again when someone makes the conversation go on.
func TestHaltSticks(t *testing.T) {
	f := newServer(t)
	d, sink := join(t, f)
	f.add(action("resp_1", "c1"), observation("c1"))
	sink.Wait(t, "a turn", turns(1))
	require.NoError(t, d.Halt(t.Context(), work, "three failures"))
	f.set("paused")
	sink.Wait(t, "idle", func(s drivetest.Seen) bool { return len(s.Idle) > 0 })
	f.set("running")
	require.Eventually(t, func() bool { f.mu.Lock(); defer f.mu.Unlock(); return f.paused == 2 }, time.Minute, time.Millisecond)
	require.ErrorIs(t, d.Halt(t.Context(), "other", "x"), drive.ErrUnsupported)
}

// TestReconnection waits for a server that is away and goes on where it was.
func TestReconnection(t *testing.T) {
	f := newServer(t)
	_, sink := join(t, f)
	f.add(action("resp_1", "c1"), observation("c1"))
	sink.Wait(t, "a turn", turns(1))
	f.mu.Lock()
	f.refuse = true
	f.mu.Unlock()
	sink.Wait(t, "away", func(s drivetest.Seen) bool { return len(s.Notes) == 1 && strings.Contains(s.Notes[0], "is away") })
	f.add(action("resp_2", "c2"), observation("c2"))
	f.mu.Lock()
	f.refuse = false
	f.mu.Unlock()
	seen := sink.Wait(t, "the turn meanwhile", turns(2))
	require.Equal(t, "OpenHands is back", sink.Wait(t, "back", func(s drivetest.Seen) bool { return len(s.Notes) == 2 }).Notes[1])
	require.Len(t, seen.Turns, 2)
}

// TestForget holds a bounded number of conversations, and those at work or
// halted whatever their number.
func TestForget(t *testing.T) {
	d := &Driver{conversations: map[string]*conversation{}}
	for i := range maxConversations {
		d.conversations[fmt.Sprint(i)] = &conversation{running: true, updated: "1"}
	}
	d.forget()
	require.Len(t, d.conversations, maxConversations)
	d.conversations["3"] = &conversation{updated: "3"}
	d.conversations["2"] = &conversation{updated: "2"}
	d.conversations["1"] = &conversation{updated: "1", halted: "three failures"}
	d.forget()
	require.NotContains(t, d.conversations, "2")
	require.Len(t, d.conversations, maxConversations-1)
}

// TestPagesThatLeadToThemselves end: a broken server holds nothing up.
func TestPagesThatLeadToThemselves(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"items":[],"next_page_id":"same"}`)
	}))
	defer s.Close()
	d, err := New(drive.Options{URL: s.URL})
	require.NoError(t, err)
	defer d.client.Close()
	r := &reader{driver: d}
	require.NoError(t, r.look(t.Context()))
	c, err := r.open(&info{ID: "c1"}, true)
	require.NoError(t, err)
	require.NoError(t, r.events(t.Context(), c))
}
