// Package httpapi is a service's own HTTP interface: /livez, /readyz, /metrics and the routes that the
// service adds. It binds to loopback unless a token and TLS are configured (EV-11).
package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/pprof"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Options configure a Server.
type Options struct {
	Address  string   // host:port; port 0 selects a free one
	Token    string   // bearer token; "" admits everybody (loopback only)
	Hosts    []string // additional names by which requests may call, see [hostCheck]
	TLSCert  string
	TLSKey   string
	Registry *prometheus.Registry
	Routes   map[string]http.Handler // pattern → handler, protected by the token
}

// Server is a running interface.
type Server struct {
	listener net.Listener
	http     *http.Server
	done     chan error
	end      context.CancelFunc // ends the requests' context, and so open event streams

	mu     sync.Mutex
	checks map[string]error
}

// Start listens and serves until Close.
func Start(o Options) (*Server, error) {
	listener, err := net.Listen("tcp", o.Address)
	if err != nil {
		return nil, fmt.Errorf("listen for HTTP on %s (another http.address, or \"\" to disable it): %w", o.Address, err)
	}
	base, end := context.WithCancel(context.Background())
	s := &Server{listener: listener, done: make(chan error, 1), end: end, checks: map[string]error{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", s.ready)
	mux.Handle("GET /metrics", guarded(o.Token, promhttp.HandlerFor(o.Registry, promhttp.HandlerOpts{})))
	if o.Token != "" { // profiles expose memory: never without a token, not even on loopback
		mux.Handle("GET /debug/pprof/", guarded(o.Token, http.HandlerFunc(pprof.Index)))
		mux.Handle("GET /debug/pprof/profile", guarded(o.Token, http.HandlerFunc(pprof.Profile)))
		mux.Handle("GET /debug/pprof/trace", guarded(o.Token, http.HandlerFunc(pprof.Trace)))
	}
	for pattern, handler := range o.Routes {
		mux.Handle(pattern, guarded(o.Token, handler))
	}
	s.http = &http.Server{
		Handler: newHostCheck(o).wrap(mux), ReadHeaderTimeout: 5 * time.Second, IdleTimeout: idleTimeout, MaxHeaderBytes: 64 << 10,
		BaseContext: func(net.Listener) context.Context { return base }, ConnState: newConnections().changed,
	}
	go func() {
		if o.TLSCert != "" {
			s.done <- s.http.ServeTLS(listener, o.TLSCert, o.TLSKey)
			return
		}
		s.done <- s.http.Serve(listener)
	}()
	return s, nil
}

// Address returns the address at which the server listens.
func (s *Server) Address() string { return s.listener.Addr().String() }

// Report records the state of one thing that /readyz depends on; nil means healthy.
func (s *Server) Report(name string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.checks[name] = err
}

// degraded is an error of a service that works nevertheless.
type degraded interface{ Degraded() bool }

// IsDegraded reports whether an error leaves a service ready.
func IsDegraded(err error) bool {
	d, is := err.(degraded) //nolint:errorlint // an error that wraps a warning is not one
	return is && d.Degraded()
}

// ready answers 200 if every reported check is healthy, otherwise 503 with the reasons. A degraded check is
// listed but does not count, and neither do those that the caller excludes with exclude=NAME: a load
// balancer need not know everything that a person must.
func (s *Server) ready(w http.ResponseWriter, r *http.Request) {
	excluded := r.URL.Query()["exclude"]
	s.mu.Lock()
	defer s.mu.Unlock()
	status := http.StatusOK
	for name, err := range s.checks {
		if err != nil && !IsDegraded(err) && !slices.Contains(excluded, name) {
			status = http.StatusServiceUnavailable
		}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(Words(s.checks))
}

// Warning begins what /readyz says of a degraded check.
const Warning = "warning: "

// Healthy is what /readyz says of a healthy check.
const Healthy = "ok"

// Words returns what /readyz says of each check.
func Words(checks map[string]error) map[string]string {
	words := make(map[string]string, len(checks))
	for name, err := range checks {
		switch {
		case err == nil:
			words[name] = Healthy
		case IsDegraded(err):
			words[name] = Warning + err.Error()
		default:
			words[name] = err.Error()
		}
	}
	return words
}

// Close stops serving: event streams end, other requests may finish until ctx ends.
func (s *Server) Close(ctx context.Context) error {
	s.end()
	if err := s.http.Shutdown(ctx); err != nil {
		_ = s.http.Close()
	}
	if err := <-s.done; err != nil && !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve HTTP: %w", err)
	}
	return nil
}
