package cli

import (
	"context"
	"fmt"
	"sync"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/link"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
)

// Session is what the parts of one call share: the configuration, which is read once, and one connection for
// each login. Its connections end with it. The zero Session is ready for use.
type Session struct {
	mu       sync.Mutex
	settings map[string]config.Config // by the server that was asked for
	systems  map[login]system
}

// login is where a connection leads, and as whom.
type login struct{ url, name, credential string }

// system is an open connection to a running system.
type system struct {
	broker *nats.Broker
	conn   *nats.Conn
}

// Close closes the connections.
func (s *Session) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, known := range s.systems {
		known.conn.Close()
	}
	s.systems = nil
}

// absent is the error of a call for which no system runs.
type absent struct {
	url string
	err error
}

func (e absent) Error() string { return "no system runs here: nothing listens at " + nats.Shown(e.url) }
func (e absent) Unwrap() error { return e.err }

// session returns what the call shares. A call that was given no session gets one that ends with its context.
func (r *Call) session() *Session {
	if r.Session == nil {
		r.Session = &Session{}
		if r.Context != nil {
			context.AfterFunc(r.Context, r.Session.Close)
		}
	}
	return r.Session
}

// read returns the configuration with the given server, "" for the configured one.
func (s *Session) read(file, server string) (config.Config, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known, ok := s.settings[server]; ok {
		return known, nil
	}
	flags := map[string]string{}
	if server != "" {
		flags["nats.url"] = server
	}
	settings, err := LoadConfig(file, flags)
	if err != nil {
		return settings, Usage(err)
	}
	if s.settings == nil {
		s.settings = map[string]config.Config{}
	}
	s.settings[server] = settings
	return settings, nil
}

// open returns the connection with these options, a new one the first time or if the one before was lost for
// good.
func (s *Session) open(ctx context.Context, settings config.Config, o nats.ConnectOptions) (system, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	as := login{o.URL, o.Name, o.Creds}
	if known, ok := s.systems[as]; ok && !known.conn.IsClosed() {
		return known, nil
	}
	ctx, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	nc, err := nats.Connect(ctx, o)
	if nats.Absent(err) {
		err = absent{o.URL, err}
	}
	if err != nil {
		return system{}, fmt.Errorf("%w\n%s", err, cure(err, settings.NATS.User, o.Creds))
	}
	keys, err := link.Keys(settings.Security)
	if err != nil {
		nc.Close()
		return system{}, Usage(err)
	}
	broker, err := nats.Open(nc, link.Topology(settings), keys, nil)
	if err != nil {
		nc.Close()
		return system{}, err
	}
	if s.systems == nil {
		s.systems = map[login]system{}
	}
	s.systems[as] = system{broker, nc}
	return s.systems[as], nil
}
