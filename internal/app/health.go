package app

import (
	"os"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/httpapi"
)

// health collects what /readyz tells; it works before and without an HTTP server.
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

// Version of the build, "(devel)" where it is not known.
func Version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// expand reads "$NAME" from the environment, so that no file holds a password.
func expand(value string) string {
	if name, ok := strings.CutPrefix(value, "$"); ok {
		return os.Getenv(name)
	}
	return value
}
