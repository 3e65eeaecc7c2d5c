// Package httpapi is a service's own HTTP interface: /livez, /readyz, /metrics and the routes that the
// service adds. It binds to loopback unless a token and TLS are configured (EV-11).
package httpapi

import (
	"container/list"
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/pprof"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/scaffoldwatch/scaffoldwatch/internal/loopback"
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

// SelfGuarded is a handler that authenticates its callers itself.
type SelfGuarded interface {
	// Guard returns the handler that answers callers with the token of the whole interface, "" for none, or
	// with another one that it accepts.
	Guard(token string) http.Handler
}

// Bearer returns the bearer token of a request, "" if it has none. The scheme is case-insensitive (RFC
// 9110).
func Bearer(r *http.Request) string {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

// Equal reports whether two tokens are equal, in a time that reveals nothing about either.
func Equal(given, token string) bool {
	return subtle.ConstantTimeCompare([]byte(given), []byte(token)) == 1
}

func guarded(token string, next http.Handler) http.Handler {
	if own, ok := next.(SelfGuarded); ok {
		return own.Guard(token)
	}
	if token == "" {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !Equal(Bearer(r), token) {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "a bearer token is required: Authorization: Bearer <http.token>", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

const (
	idleTimeout = 30 * time.Second // of a connection between two requests
	maxIdle     = 64               // idle connections; beyond that the oldest are closed
	maxOpen     = 1024             // all connections; beyond that new ones are closed at once
)

// connections limits how many connections a server keeps. Idle connections are closed first, so that nobody
// can lock out others by holding many.
type connections struct {
	mu   sync.Mutex
	idle map[net.Conn]*list.Element
	age  *list.List // idle connections, oldest first
	open int
}

func newConnections() *connections {
	return &connections{idle: map[net.Conn]*list.Element{}, age: list.New()}
}

// changed follows a connection's state, see [http.Server].ConnState.
func (c *connections) changed(conn net.Conn, state http.ConnState) {
	if surplus := c.count(conn, state); surplus != nil {
		_ = surplus.Close()
	}
}

// count returns the connection to close because there are too many, nil if there is none.
func (c *connections) count(conn net.Conn, state http.ConnState) net.Conn {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at := c.idle[conn]; at != nil {
		c.forget(at)
	}
	switch state {
	case http.StateNew:
		if c.open++; c.open > maxOpen && c.age.Len() == 0 {
			return conn
		}
		if c.open > maxOpen {
			return c.forget(c.age.Front())
		}
	case http.StateIdle:
		c.idle[conn] = c.age.PushBack(conn)
		if c.age.Len() > maxIdle {
			return c.forget(c.age.Front())
		}
	case http.StateClosed, http.StateHijacked:
		c.open--
	}
	return nil
}

// forget removes a connection from the idle ones.
func (c *connections) forget(at *list.Element) net.Conn {
	conn := c.age.Remove(at).(net.Conn)
	delete(c.idle, conn)
	return conn
}

// hostCheck keeps web pages away from an interface on loopback. A page whose own name is made to resolve to
// 127.0.0.1 (DNS rebinding) could read answers as if they were its own; its requests are recognised by that
// name. An address in place of a name cannot be rebound.
type hostCheck struct {
	names map[string]bool
	sites map[string]bool // names whose pages may call as well
	// any accepts every name: beyond loopback, where a token is required, unless names are configured.
	any bool
}

func newHostCheck(o Options) hostCheck {
	c := hostCheck{names: map[string]bool{"localhost": true}, sites: map[string]bool{}}
	host, _, _ := net.SplitHostPort(o.Address)
	c.any = !loopback.Is(host) && len(o.Hosts) == 0
	for _, name := range append([]string{host}, o.Hosts...) {
		c.names[strings.ToLower(name)] = true
	}
	for _, name := range o.Hosts {
		c.sites[strings.ToLower(name)] = true
	}
	return c
}

// accepts reports whether a request may call the interface under a host name, with or without a port.
func (c hostCheck) accepts(hostPort string) bool {
	host := hostPort
	if name, _, err := net.SplitHostPort(hostPort); err == nil {
		host = name
	}
	host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	return c.any || net.ParseIP(host) != nil || c.names[host] || strings.HasSuffix(host, ".localhost")
}

// origin reports whether a request does not come from another site's page.
func (c hostCheck) origin(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && u.Host != "" && (strings.EqualFold(u.Host, r.Host) || c.sites[strings.ToLower(u.Hostname())])
}

// wrap returns a handler that rejects other requests.
func (c hostCheck) wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !c.accepts(r.Host):
			http.Error(w, fmt.Sprintf("the host %.100q is not a name of this interface: use its address, or add the name to http.hosts", r.Host), http.StatusMisdirectedRequest)
		case !c.origin(r):
			http.Error(w, "requests from pages of other sites are rejected", http.StatusForbidden)
		default:
			next.ServeHTTP(w, r)
		}
	})
}
