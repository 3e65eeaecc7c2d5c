package opencode

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"
)

type members = map[string]any

// fakeServer is a server with one session and its child, of the shapes of
// OpenCode 1.18.
type fakeServer struct {
	*httptest.Server

	mu       sync.Mutex
	messages map[string][]members
	streams  map[chan members]bool
	prompts  []prompt
	aborted  int
	calls    []string // of messages, with their query
	refuse   bool     // answer 503
	user     string   // who called last
}

func newServer(t *testing.T) *fakeServer {
	t.Helper()
	f := &fakeServer{messages: map[string][]members{}, streams: map[chan members]bool{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /event", f.event)
	mux.HandleFunc("GET /session/{id}", func(w http.ResponseWriter, r *http.Request) {
		info := members{"id": r.PathValue("id"), "directory": "/src/shop", "projectID": "p"}
		if r.PathValue("id") == "ses_child" {
			info["parentID"] = "ses_main"
		}
		_ = json.NewEncoder(w).Encode(info)
	})
	mux.HandleFunc("GET /session/{id}/message", f.list)
	mux.HandleFunc("POST /session/{id}/prompt_async", f.prompt)
	mux.HandleFunc("POST /session/{id}/abort", func(w http.ResponseWriter, _ *http.Request) {
		f.mu.Lock()
		f.aborted++
		f.mu.Unlock()
		fmt.Fprint(w, "true")
	})
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		refuse := f.refuse
		f.user, _, _ = r.BasicAuth()
		f.mu.Unlock()
		if refuse {
			http.Error(w, "starting", http.StatusServiceUnavailable)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(f.close)
	return f
}

func (f *fakeServer) close() {
	f.cut()
	f.Server.Close()
}

func (f *fakeServer) event(w http.ResponseWriter, r *http.Request) {
	events := make(chan members, 100)
	f.mu.Lock()
	f.streams[events] = true
	f.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(o members) {
		data, _ := json.Marshal(o)
		fmt.Fprintf(w, "data: %s\n\n", data)
		w.(http.Flusher).Flush()
	}
	send(members{"type": "server.connected", "properties": members{}})
	fmt.Fprint(w, ": heartbeat\n\ndata: not json\n\n")
	for {
		select {
		case e, open := <-events:
			if !open {
				return
			}
			send(e)
		case <-r.Context().Done():
			return
		}
	}
}

// cut ends all streams, as a restart of the server does.
func (f *fakeServer) cut() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for s := range f.streams {
		close(s)
		delete(f.streams, s)
	}
}

func (f *fakeServer) listening() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.streams) > 0
}

func (f *fakeServer) tell(kind string, properties members) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for s := range f.streams {
		s <- members{"type": kind, "properties": properties}
	}
}

func (f *fakeServer) list(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, r.URL.RawQuery)
	list := f.messages[r.PathValue("id")]
	if n, err := strconv.Atoi(r.URL.Query().Get("limit")); err == nil && n < len(list) {
		list = list[len(list)-n:]
	}
	_ = json.NewEncoder(w).Encode(list)
}

func (f *fakeServer) prompt(w http.ResponseWriter, r *http.Request) {
	var p prompt
	_ = json.NewDecoder(r.Body).Decode(&p)
	f.mu.Lock()
	f.prompts = append(f.prompts, p)
	f.mu.Unlock()
	f.asked(r.PathValue("id"), p.Parts[0].Text)
	w.WriteHeader(http.StatusNoContent)
}

func (f *fakeServer) add(session string, m members) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.messages[session] = append(f.messages[session], m)
}

func (f *fakeServer) next(session string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return fmt.Sprintf("msg_%04d", len(f.messages[session])+1)
}

// asked adds a user message.
func (f *fakeServer) asked(session, text string) {
	f.add(session, members{
		"info":  members{"id": f.next(session), "sessionID": session, "role": "user", "time": members{"created": 1767000000000}, "agent": "plan", "model": members{"providerID": "mock", "modelID": "mock-1"}},
		"parts": []members{{"type": "text", "text": text}},
	})
}

// answered adds a whole response and tells of it; with a tool it goes on.
func (f *fakeServer) answered(session, text, tool string) {
	parts := []members{{"type": "step-start"}, {"type": "text", "text": text}}
	finish := "stop"
	if tool != "" {
		finish = "tool-calls"
		parts = append(parts, members{"type": "tool", "callID": "call_" + tool, "tool": tool, "state": members{"status": "completed", "input": members{"command": "ls"}, "output": "shop.go", "metadata": members{"exit": 0}}})
	}
	info := members{
		"id": f.next(session), "sessionID": session, "role": "assistant", "modelID": "mock-1", "finish": finish, "cost": 0.5,
		"time": members{"created": 1767000000000, "completed": 1767000001000}, "tokens": members{"input": 10, "output": 7},
	}
	f.add(session, members{"info": info, "parts": parts})
	f.tell("message.updated", members{"sessionID": session, "info": info})
}

// broken adds a response that never became whole.
func (f *fakeServer) broken(session string) {
	f.add(session, members{"info": members{"id": f.next(session), "sessionID": session, "role": "assistant", "time": members{"created": 1767000000000}}, "parts": []members{{"type": "text", "text": "half"}}})
}

func (f *fakeServer) status(session, status string) {
	f.tell("session.status", members{"sessionID": session, "status": members{"type": status}})
}
