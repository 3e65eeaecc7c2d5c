// Package service is the shell that all services share: configuration, rules and key, the connection to the
// broker, HTTP, metrics, health and the drain. A service is a list of parts that its own package builds;
// this package knows none of them, so a binary links only what its service needs.
package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/scaffoldwatch/scaffoldwatch/internal/buildinfo"
	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/deployment"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/link"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service/httpapi"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/vitals"
	"github.com/scaffoldwatch/scaffoldwatch/internal/obs"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Service describes one of the programs: its name and its parts.
type Service struct {
	Name string
	Does string // one line for --help
	// Address is the default address of its HTTP interface; a second instance on the machine uses a free
	// port.
	Address string
	// Reads are the streams that it reads, Writes those that it writes: the service is ready while both
	// work. Buckets are named by their streams.
	Reads  []string
	Writes []vitals.Write
	// Build returns the parts of the service. It fails, before anything is started, if the service cannot
	// work with the rules or settings.
	Build func(*Process) ([]Part, error)
	// Commands are alternative ways to call the binary, by their first argument.
	Commands map[string]Command
}

// Command is an alternative way to call a service's binary: it runs and exits.
type Command struct {
	Usage string // arguments and effect, one line for --help
	Run   func(ctx context.Context, c config.Config, log *slog.Logger, out io.Writer) error
}

// Part is one task that a service performs with its broker.
type Part struct {
	Routes map[string]http.Handler // served while HTTP is enabled
	// Run works until ctx ends; an error ends the process.
	Run func(ctx context.Context, broker *nats.Broker) error
}

// Server is an embedded broker.
type Server interface {
	nats.InProcess
	// StageInMemory moves the staging of atomic batches of new streams into memory.
	StageInMemory()
	// Room returns the free space and the size of its disk.
	Room() (free, size uint64, err error)
	// Broken returns the server's error if its storage failed, "" while it works.
	Broken() string
}

// Options configure a process.
type Options struct {
	Services []Service // one, or several in one process
	Config   config.Config
	Log      *slog.Logger
	// Start starts an embedded broker, while rules are loaded and machines are built. The caller has to
	// stop the broker. Nil connects to Config.NATS.
	Start func() (Server, error)
	// AnyPort uses a free port if that of Config.HTTP is in use.
	AnyPort bool
	// Alone owns every partition instead of sharing with other instances.
	Alone bool
	// Ready is called with the HTTP address once the services run, "" if HTTP is disabled.
	Ready func(address string)
}

// Process is what the parts of one process share.
type Process struct {
	Options
	Rules   *rules.Set
	Key     []byte // for fingerprints; nil means that of `scan`
	Metrics *prometheus.Registry
	// Server is the embedded broker once it is started; nil if there is none.
	Server Server
	health health
	denied denial
	vitals *obs.VitalsMetrics
	writes []vitals.Write // in addition to those of the services

	keepsRules atomic.Bool // set by the stage that does it
}

// Deployment returns the options on which the machines of the process must agree.
func (p *Process) Deployment() deployment.Options {
	return deployment.Options{Rules: p.Rules, FingerprintKey: p.Key, IdleTimeout: p.Config.Session.IdleTimeout}
}

// Report sets the state of a name in /readyz; nil means healthy.
func (p *Process) Report(name string, err error) { p.health.report(name, err) }

// AlsoWrites adds what a service writes only with these settings, see [Service.Writes].
func (p *Process) AlsoWrites(w ...vitals.Write) { p.writes = append(p.writes, w...) }

// named returns the log of one service of the process.
func (p *Process) named(name string) *slog.Logger {
	if len(p.Services) > 1 {
		return p.Log.With("stage", name)
	}
	return p.Log
}

// Run runs services until ctx ends, then drains. While the broker is unreachable they keep retrying and
// /readyz reports it (EV-11).
func Run(ctx context.Context, o Options) error {
	started := o.begin()
	parts, keys, p, err := prepare(o)
	begun := <-started // also after an error: the caller must not stop the broker earlier
	if err := errors.Join(begun.err, err); err != nil {
		return err
	}
	p.Server = begun.server
	return p.run(ctx, keys, parts)
}

// begun is a started embedded broker, or the error.
type begun struct {
	server Server
	err    error
}

// begin starts the embedded broker, which reads its streams completely after a crash.
func (o Options) begin() <-chan begun {
	out := make(chan begun, 1)
	if o.Start == nil {
		out <- begun{}
		return out
	}
	go func() {
		server, err := o.Start()
		out <- begun{server, err}
	}()
	return out
}

// prepare does what does not need the broker.
func prepare(o Options) (parts []Part, keys nats.Keys, p *Process, err error) {
	p = &Process{Options: o, Metrics: obs.Registry(buildinfo.Version(), rules.Version)}
	obs.Ready(p.Metrics, p.health.ready)
	p.vitals = obs.NewVitalsMetrics(p.Metrics, link.Topology(o.Config))
	if p.Rules, err = deployment.LoadRules(o.Config.Rules); err != nil {
		return nil, keys, p, err
	}
	if p.Key, err = deployment.LoadKey(o.Config.Security.FingerprintKey); err != nil {
		return nil, keys, p, err
	}
	if keys, err = p.keys(); err != nil {
		return nil, keys, p, err
	}
	p.Report("nats", errors.New("not connected yet"))
	p.Report("streams", errors.New("not looked at yet")) // a connection alone is not ready
	for _, s := range o.Services {
		built, err := s.Build(p)
		if err != nil {
			return nil, keys, p, err
		}
		parts = append(parts, built...)
	}
	return parts, keys, p, nil
}

func (p *Process) run(ctx context.Context, keys nats.Keys, parts []Part) error {
	if p.Config.HTTP.Address != "" {
		server, err := p.serveHTTP(parts)
		if err != nil {
			return err
		}
		defer p.closeHTTP(server)
		p.Log.Info("HTTP interface", "address", server.Address())
		p.health.attach(server)
	}
	broker, closeBroker, err := p.connect(ctx, keys)
	if err != nil {
		return ignoreCancelled(ctx, err)
	}
	defer closeBroker()
	return p.serve(ctx, broker, parts)
}

// ignoreCancelled returns nil for an error that is due to the end of ctx.
func ignoreCancelled(ctx context.Context, err error) error {
	if ctx.Err() != nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("service: %w", err)
	}
	return nil
}

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
