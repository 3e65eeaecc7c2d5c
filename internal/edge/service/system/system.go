// Package system runs all services with an embedded broker in one process, for `scaffoldwatch up`, and any
// of them by name for tests.
package system

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"strconv"

	"golang.org/x/sync/errgroup"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/link/credential"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/reporter"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/embedded"
)

// Options configure `scaffoldwatch up`.
type Options struct {
	Config config.Config
	Log    *slog.Logger
	// Data is the directory of the streams.
	Data string
	// Listen is host:port of the embedded broker; "" makes it reachable only within this process.
	Listen string
	// Users are the users who may connect; without any, everybody may.
	Users []embedded.User
	// LazySync leaves syncing to the broker's interval: faster, but a power failure loses acknowledged
	// data.
	LazySync bool
	// Answer is the key with which a person answers on the page, and By the name in the record; without a
	// key the page shows commands.
	Answer, By string
}

// System is an embedded broker with all four services.
type System struct {
	options Options
	server  *embedded.Server
	group   *errgroup.Group
	stop    context.CancelFunc
	ready   chan string
	done    chan struct{}
}

// Start starts everything and returns once the services run.
func Start(ctx context.Context, o Options) (*System, error) {
	if o.Config.Notify.Outbox == "" {
		o.Config.Notify.Outbox = filepath.Join(o.Data, "notify.json")
	}
	ctx, stop := context.WithCancel(ctx)
	group, ctx := errgroup.WithContext(ctx)
	s := &System{options: o, group: group, stop: stop, ready: make(chan string, 1), done: make(chan struct{})}
	group.Go(func() error {
		defer close(s.done)
		return service.Run(ctx, service.Options{
			Services: configured(o.Config, s.answers()), Config: o.Config, Log: o.Log, Start: s.startServer, Alone: true,
			Ready: func(address string) { s.ready <- address },
		})
	})
	select {
	case address := <-s.ready:
		s.ready <- address
		return s, nil
	case <-s.done:
		if s.server == nil {
			return nil, group.Wait()
		}
		return nil, errors.Join(fmt.Errorf("start the services: %w", group.Wait()), s.server.Shutdown())
	}
}

// answers returns the page's answers, with the permissions of this process.
func (s *System) answers() *reporter.Answers {
	if s.options.Answer == "" {
		return nil
	}
	return &reporter.Answers{
		Person: reporter.OneKey(s.options.Answer, s.options.By), Machine: machine{},
		Connect: func(ctx context.Context) (*nats.Conn, error) {
			return nats.Connect(ctx, nats.ConnectOptions{Server: s.server, Name: "page"})
		},
	}
}

// HTTP returns the address of the HTTP interface, "" if it is disabled.
func (s *System) HTTP() string {
	address := <-s.ready
	s.ready <- address
	return address
}

// Answer returns the key with which a person answers on the page, "" if there is none.
func (s *System) Answer() string { return s.options.Answer }

// URL returns the broker's URL, "" if it does not listen.
func (s *System) URL() string { return s.server.URL() }

// Server returns the embedded broker, for connections within this process.
func (s *System) Server() *embedded.Server { return s.server }

// Done returns a channel that is closed when the services have ended, through Stop or a failure.
func (s *System) Done() <-chan struct{} { return s.done }

// Stop drains the services and then stops the broker; after a failed write first the broker. A service that
// drains saves its states, and of what it saves on a full disk a part is stored that nothing accounts for.
func (s *System) Stop() error {
	if s.server.Broken() != "" {
		err := s.server.Shutdown()
		s.stop()
		return errors.Join(err, s.group.Wait())
	}
	s.stop()
	return errors.Join(s.group.Wait(), s.server.Shutdown())
}

// startServer starts the broker. It is called once, before the services are ready.
func (s *System) startServer() (service.Server, error) {
	server, err := startServer(s.options)
	if err != nil {
		return nil, err
	}
	s.server = server
	return server, nil
}

func startServer(o Options) (*embedded.Server, error) {
	options := embedded.Options{Dir: o.Data, LazySync: o.LazySync, Log: o.Log, Users: o.Users}
	if o.Listen != "" {
		host, port, err := net.SplitHostPort(o.Listen)
		if err != nil {
			return nil, fmt.Errorf("listen address %q: must be host:port, for example 127.0.0.1:4222", o.Listen)
		}
		options.Host = host
		if options.Port, err = strconv.Atoi(port); err != nil || options.Port < 0 || options.Port > 65535 {
			return nil, fmt.Errorf("listen address %q: the port must be 0 to 65535, 0 selects a free one", o.Listen)
		}
		if options.Port == 0 {
			options.Port = -1
		}
		if err := portIsFree(host, options.Port); err != nil {
			return nil, err
		}
	}
	return embedded.Start(options)
}

// portIsFree fails immediately where the broker would fail after a long wait.
func portIsFree(host string, port int) error {
	if port <= 0 {
		return nil
	}
	l, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
	if err != nil {
		return fmt.Errorf("listen on %s:%d (choose another --listen, or stop a running system): %w", host, port, err)
	}
	return l.Close()
}

// Users returns the users who may connect to a broker that listens: the holders of the keys in a directory,
// which are created at the first start (EV-10).
func Users(directory string) ([]embedded.User, error) {
	public, err := credential.Keep(directory)
	if err != nil {
		return nil, err
	}
	return []embedded.User{
		{PublicKey: public[credential.Publisher], Rights: embedded.PublisherRights()},
		{PublicKey: public[credential.Infra], Rights: embedded.InfraRights()},
		{PublicKey: public[credential.Operator], Rights: embedded.OperatorRights()},
		{PublicKey: public[credential.Admin]}, // everything
	}, nil
}
