package service

import (
	"sync"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service/httpapi"
)

// health collects the state for /readyz; it works before and without an HTTP server.
type health struct {
	mu     sync.Mutex
	server *httpapi.Server
	state  map[string]error
}

func (h *health) report(name string, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.state == nil {
		h.state = map[string]error{}
	}
	h.state[name] = err
	if h.server != nil {
		h.server.Report(name, err)
	}
}

// ready reports whether /readyz answers 200.
func (h *health) ready() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, err := range h.state {
		if err != nil && !httpapi.IsDegraded(err) {
			return false
		}
	}
	return true
}

// words returns what /readyz says.
func (h *health) words() map[string]string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return httpapi.Words(h.state)
}

func (h *health) attach(server *httpapi.Server) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.server = server
	for name, err := range h.state {
		server.Report(name, err)
	}
}

func (h *health) address() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.server == nil {
		return ""
	}
	return h.server.Address()
}
