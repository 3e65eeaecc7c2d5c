package service

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/link"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service/httpapi"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/keep"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/vitals"
	"github.com/scaffoldwatch/scaffoldwatch/internal/obs"
)

// serve runs the parts of the process with one broker.
func (p *Process) serve(ctx context.Context, broker *nats.Broker, parts []Part) error {
	if p.Server != nil {
		if err := vitals.Answer(broker.Conn(), p.health.words); err != nil {
			return fmt.Errorf("answer for the readiness of the process: %w", err)
		}
	}
	group, ctx := errgroup.WithContext(ctx)
	for _, part := range parts {
		group.Go(func() error { return part.Run(ctx, broker) })
	}
	group.Go(func() error {
		p.watchVitals(ctx, broker)
		return nil
	})
	if p.Ready != nil {
		p.Ready(p.health.address())
	}
	return ignoreCancelled(ctx, group.Wait())
}

// keys loads the key that the process signs with and those it trusts. It fails if one of its stages would
// sign with a key that is not trusted.
func (p *Process) keys() (nats.Keys, error) {
	keys, err := link.Keys(p.Config.Security)
	if err != nil {
		return keys, err
	}
	for _, s := range p.Services {
		if err := link.Signs(p.Config.Security, keys, s.Name, time.Now()); err != nil {
			return keys, err
		}
	}
	return keys, nil
}

// connect retries until the broker and its streams are available.
func (p *Process) connect(ctx context.Context, keys nats.Keys) (*nats.Broker, func(), error) {
	options := link.Options(p.Config, p.Services[0].Name)
	if p.Server != nil {
		options.Server = p.Server
	}
	options.Log = p.Log
	options.OnState = func(err error) { p.Report("nats", err) }
	options.OnDenied = p.denied.note
	said := ""
	options.OnFailed = func(err error) {
		err = notConnected(p.Config.NATS, err)
		p.Report("nats", err)
		if err.Error() != said {
			said = err.Error()
			p.Log.Warn("no connection to NATS, retrying", "error", err)
		}
	}
	nc, err := nats.Connect(ctx, options)
	if err != nil {
		return nil, nil, err
	}
	p.Report("nats", nil)
	broker, err := nats.Open(nc, link.Topology(p.Config), keys, obs.NewReaderMetrics(p.Metrics, p.Log))
	if err != nil {
		nc.Close()
		return nil, nil, err
	}
	if err := p.provision(ctx, broker); err != nil {
		nc.Close()
		return nil, nil, err
	}
	return broker, func() { p.drain(nc) }, nil
}

// provision waits for JetStream and creates missing streams; differences are reported, not changed.
func (p *Process) provision(ctx context.Context, broker *nats.Broker) error {
	for {
		var differences []topology.Difference
		err := keep.CheckRestored(ctx, broker)
		if err == nil {
			err = p.upgrade(ctx, broker)
		}
		if err == nil {
			differences, err = topology.ProvisionOwn(ctx, broker.JetStream(), broker.Topology())
		}
		err = p.denied.explain(err, p.Services[0].Name, p.Config.NATS.User)
		err = unusable(err)
		p.Report("streams", err)
		if err == nil {
			for _, d := range differences {
				if d.Divides() {
					return fmt.Errorf("streams.partitions differs from that of the streams; every service needs the same: %s", d)
				}
				p.Log.Warn("a stream is not as configured, see `scaffoldwatch streams init`", "difference", d.String())
			}
			if p.Server != nil {
				p.Server.StageInMemory()
			}
			return nil
		}
		p.Log.Warn("the streams cannot be used yet", "error", err)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
	}
}

// upgrade changes the streams of an embedded server, which belong to this system: they accept the event
// types that are new in this version, and follow the configuration where that loses nothing.
func (p *Process) upgrade(ctx context.Context, broker *nats.Broker) error {
	if p.Server == nil {
		return nil
	}
	changed, err := topology.AddSubjects(ctx, broker.JetStream(), broker.Topology())
	if len(changed) > 0 {
		p.Log.Info("streams accept the event types of this version", "streams", changed)
	}
	if err != nil {
		return err
	}
	if changed, err = topology.Apply(ctx, broker.JetStream(), broker.Topology()); len(changed) > 0 {
		p.Log.Info("streams are changed as configured; nothing was lost", "streams", changed)
	}
	return err
}

func (p *Process) drain(nc *nats.Conn) {
	closed := make(chan struct{})
	nc.SetClosedHandler(func(*nats.Conn) { close(closed) })
	if nc.Drain() != nil {
		nc.Close()
		return
	}
	select {
	case <-closed:
	case <-time.After(p.Config.Stage.DrainTimeout):
		nc.Close()
	}
}

func (p *Process) serveHTTP(parts []Part) (*httpapi.Server, error) {
	routes := map[string]http.Handler{}
	for _, part := range parts {
		maps.Copy(routes, part.Routes)
	}
	h := p.Config.HTTP
	o := httpapi.Options{
		Address: h.Address, Token: h.Token, Hosts: h.Hosts, TLSCert: h.TLSCert, TLSKey: h.TLSKey, Registry: p.Metrics, Routes: routes,
	}
	server, err := httpapi.Start(o)
	if !p.AnyPort || !errors.Is(err, syscall.EADDRINUSE) {
		return server, err
	}
	p.Log.Warn("the default port of the HTTP interface is in use, perhaps by another instance; set http.address for a fixed one", "address", h.Address)
	host, _, _ := net.SplitHostPort(h.Address)
	o.Address = net.JoinHostPort(host, "0")
	return httpapi.Start(o)
}

func (p *Process) closeHTTP(server *httpapi.Server) {
	ctx, cancel := context.WithTimeout(context.Background(), p.Config.Stage.DrainTimeout)
	defer cancel()
	if err := server.Close(ctx); err != nil {
		p.Log.Warn("close the HTTP interface", "error", err)
	}
}

// notConnected explains why no connection could be made, and how to fix it.
func notConnected(c config.NATS, err error) error {
	var certificate *tls.CertificateVerificationError
	var file *fs.PathError
	user := c.User
	if user == "" {
		user = c.Credentials
	}
	cure := "check nats.url, the network and that a server runs there"
	switch {
	case errors.As(err, &certificate):
		cure = "nats.tls_ca must name the authority that signed the server's certificate, and nats.url the " +
			"server by a " +
			"name that the certificate has"
	case errors.As(err, &file):
		cure = "nats.credentials, nats.tls_ca, nats.tls_cert or nats.tls_key names this file"
	case nats.Refused(err) && user == "":
		cure = "the server requires a user: set nats.user and nats.password (SCAFFOLDWATCH_NATS_USER, " +
			"SCAFFOLDWATCH_NATS_PASSWORD), or nats.credentials"
	case nats.Refused(err):
		cure = fmt.Sprintf("the server does not accept %q: compare nats.user and nats.password "+
			"(SCAFFOLDWATCH_NATS_PASSWORD), or nats.credentials, with the server's own", user)
	}
	return fmt.Errorf("not connected: %w: %s", err, cure)
}

// denial remembers what the broker last denied: a denied request gets no reply, so its error only says that
// it timed out.
type denial struct {
	mu   sync.Mutex
	last error
}

func (d *denial) note(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.last = err
}

// explain adds to a timeout error what the broker denied meanwhile, and forgets that. Name is the
// service's, user the one it connects as.
func (d *denial) explain(err error, name, user string) error {
	d.mu.Lock()
	denied := d.last
	d.last = nil
	d.mu.Unlock()
	if denied == nil || !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	words := strings.TrimPrefix(denied.Error(), nats.ErrDenied.Error()+": ")
	cure := "compare the server's configuration with deploy/nats/nats.conf of this version"
	switch {
	case strings.Contains(words, "_INBOX_"):
		cure = fmt.Sprintf("it connects as %q, and each service needs its own user, which alone reads its replies; %s",
			user, cure)
	case strings.Contains(words, "$JS.API.STREAM.CREATE."):
		cure = "a stream is missing, and only an administrator makes it: `scaffoldwatch streams init` as admin"
	}
	return fmt.Errorf("%s: the broker denies %s something: %s: %s", vitals.PermissionDenied, name, words, cure)
}

// unusable prefixes the reason why a service cannot use the streams yet with its kind. A request that nobody answers
// says nothing about what was asked.
func unusable(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf(
			"%s: nobody answers for the streams: they have no leader, or it is out of reach (%w)", vitals.NoLeader, err,
		)
	}
	return vitals.Explained(err)
}
