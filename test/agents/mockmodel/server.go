// Package mockmodel provides model servers on loopback that speak as much of the Anthropic Messages, OpenAI
// Responses and Gemini protocols as the real command lines of coding agents require. The test's plan
// determines what the model does; every request of the agent's main loop is recorded.
package mockmodel

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"
)

// Step is one reply of the model: text and at most one tool call. Without a call the agent's turn ends.
type Step struct {
	Say string
	Run string // a shell command the agent is to run
	Ask string // what a subagent is to do; only with OpenCode

	Tokens int // what the request is said to have had; 10 if zero
}

// Request is one request of the agent's main loop.
type Request struct {
	Results int       // tool results in the conversation so far, refusals included
	Body    string    // the request in JSON
	At      time.Time // when it arrived
}

// Plan returns the model's reply to a request.
type Plan func(Request) Step

// Wire is a protocol of a model provider.
type Wire interface {
	// serve handles requests that belong to the protocol.
	serve(w http.ResponseWriter, path string, body []byte, s *Server)
}

// Server is a running mock model.
type Server struct {
	plan     Plan
	wire     Wire
	listener net.Listener
	http     *http.Server
	done     chan struct{}

	mu       sync.Mutex
	requests []Request
	problems []error
}

// Start serves a protocol on a free port of 127.0.0.1 until Close.
func Start(wire Wire, plan Plan) (*Server, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for the mock model: %w", err)
	}
	s := &Server{plan: plan, wire: wire, listener: listener, done: make(chan struct{})}
	s.http = &http.Server{Handler: s, ReadHeaderTimeout: 5 * time.Second}
	go func() {
		defer close(s.done)
		_ = s.http.Serve(listener) // returns after Close
	}()
	return s, nil
}

// URL returns the server's address.
func (s *Server) URL() string { return "http://" + s.listener.Addr().String() }

// Close stops the server and closes its connections.
func (s *Server) Close() {
	_ = s.http.Close()
	<-s.done
}

// Requests returns those of the main loop so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Problems returns the errors of requests that could not be read.
func (s *Server) Problems() []error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]error(nil), s.problems...)
}

// ServeHTTP reads a request and passes it to the protocol.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := content(r)
	if err != nil {
		s.refuse(w, r.URL.Path, err)
		return
	}
	s.wire.serve(w, r.URL.Path, body, s)
}

// content returns a request's body, decompressed.
func content(r *http.Request) ([]byte, error) {
	if r.Header.Get("Content-Encoding") != "zstd" {
		return io.ReadAll(r.Body)
	}
	decoder, err := zstd.NewReader(r.Body)
	if err != nil {
		return nil, err
	}
	defer decoder.Close()
	return io.ReadAll(decoder)
}

// step records a request of the main loop and asks the plan for the reply.
func (s *Server) step(results int, body []byte) Step {
	r := Request{Results: results, Body: string(body), At: time.Now()}
	s.mu.Lock()
	s.requests = append(s.requests, r)
	s.mu.Unlock()
	return s.plan(r)
}

func (s *Server) refuse(w http.ResponseWriter, path string, err error) {
	s.mu.Lock()
	s.problems = append(s.problems, fmt.Errorf("%s: %w", path, err))
	s.mu.Unlock()
	http.Error(w, err.Error(), http.StatusBadRequest)
}

// Commands returns a plan that runs commands one after the other and then says that all is done.
func Commands(commands ...string) Plan {
	return func(r Request) Step {
		if r.Results >= len(commands) {
			return Step{Say: "All done."}
		}
		return Step{Say: fmt.Sprintf("Step %d.", r.Results+1), Run: commands[r.Results]}
	}
}

func has(path, part string) bool { return strings.Contains(path, part) }
