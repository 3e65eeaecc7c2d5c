package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/httpapi"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/obs"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Reporter is the name of the service that reads DECISIONS for people.
const Reporter = "reporter"

// Server is an embedded broker.
type Server interface {
	nats.InProcess
	// StageInMemory moves the staging of atomic batches of new streams into memory.
	StageInMemory() error
}

// ServiceOptions are what one process runs.
type ServiceOptions struct {
	// Names of the services: Stages, Reporter, or several in one process.
	Names  []string
	Config config.Config
	Log    *slog.Logger
	// Server is the embedded broker; nil connects to Config.NATS.
	Server Server
	// Alone owns every partition instead of sharing with other instances.
	Alone bool
	// Ready hears the HTTP address once the services run, "" where HTTP is off.
	Ready func(address string)
}

// RunServices runs services until ctx ends, then drains. When the broker is out
// of reach they keep trying and /readyz says so (EV-11).
func RunServices(ctx context.Context, o ServiceOptions) error {
	set, err := LoadRules(o.Config.Rules)
	if err != nil {
		return err
	}
	key, err := LoadKey(o.Config.Security.FingerprintKey)
	if err != nil {
		return err
	}
	core, err := NewCore(CoreOptions{Rules: set, FingerprintKey: key, IdleTimeout: o.Config.Session.IdleTimeout})
	if err != nil {
		return err
	}
	reading, err := NewReading(CoreOptions{Rules: set, FingerprintKey: key})
	if err != nil {
		return err
	}
	titles, err := DetectorTitles(set)
	if err != nil {
		return err
	}
	if err := checkNotify(o); err != nil {
		return err
	}
	p := &process{ServiceOptions: o, core: core, reading: reading, titles: titles, metrics: obs.Registry(Version(), rules.Version), health: &health{}}
	return p.run(ctx)
}

// process is one running set of services.
type process struct {
	ServiceOptions
	core     *Core
	reading  *Reading          // of reports
	titles   map[string]string // of detectors by id
	metrics  *prometheus.Registry
	health   *health
	reporter *reporter
	conn     *nats.Conn // to the broker, once connected
	hooks    *hooks     // with ingest, where HTTP is on
}

func (p *process) run(ctx context.Context) error {
	p.health.report("nats", errors.New("not connected yet"))
	if p.has(Reporter) {
		p.reporter = newReporter(p.Config.Reports, p.reading, p.titles, p.Log)
		obs.NewInterruptMetrics(p.metrics, p.reporter.totals)
	}
	if p.Config.HTTP.Address != "" {
		if p.has("ingest") {
			p.hooks = newHooks(p)
		}
		server, err := p.serveHTTP()
		if err != nil {
			return err
		}
		defer p.closeHTTP(server)
		p.Log.Info("HTTP interface", "address", server.Address())
		p.health.attach(server)
	}
	broker, closeBroker, err := p.connect(ctx)
	if err != nil {
		return ignoreCancelled(ctx, err)
	}
	defer closeBroker()
	return p.serve(ctx, broker)
}

// serve runs every service of the process over one broker.
func (p *process) serve(ctx context.Context, broker *nats.Broker) error {
	group, ctx := errgroup.WithContext(ctx)
	for _, name := range p.Names {
		log := p.Log
		if len(p.Names) > 1 {
			log = log.With("stage", name)
		}
		if name == Reporter {
			group.Go(func() error { return p.reporter.run(ctx, broker, func(err error) { p.health.report(Reporter, err) }) })
			continue
		}
		run := stageRun{
			name: name, broker: broker, config: p.Config, log: log, metrics: p.metrics, alone: p.Alone,
			healthy: func(err error) { p.health.report(name, err) },
		}
		group.Go(func() error { return run.run(ctx, p.core) })
	}
	if p.has(Reporter) && p.Config.Notify.File != "" {
		group.Go(func() error { return p.notify(ctx, broker) })
	}
	if p.has("dispatcher") {
		group.Go(func() error { p.answerGates(ctx, broker); return nil })
	}
	if p.hooks != nil {
		group.Go(func() error { return p.hooks.run(ctx, broker) })
	}
	if p.Ready != nil {
		p.Ready(p.health.address())
	}
	return ignoreCancelled(ctx, group.Wait())
}

// connect keeps trying until the broker and its streams are there.
func (p *process) connect(ctx context.Context) (*nats.Broker, func(), error) {
	keys, err := Keys(p.Config.Security)
	if err != nil {
		return nil, nil, err
	}
	options := ConnectOptions(p.Config, p.Names[0])
	options.Server = p.Server
	options.OnState = func(err error) { p.health.report("nats", err) }
	nc, err := nats.Connect(ctx, options)
	if err != nil {
		return nil, nil, err
	}
	p.health.report("nats", nil)
	broker, err := nats.Open(nc, Topology(p.Config), keys, obs.NewReaderMetrics(p.metrics, p.Log))
	if err != nil {
		nc.Close()
		return nil, nil, err
	}
	if err := p.provision(ctx, broker); err != nil {
		nc.Close()
		return nil, nil, err
	}
	p.conn = nc
	return broker, func() { p.drain(nc) }, nil
}

// provision waits for JetStream; streams that differ are reported, not changed.
func (p *process) provision(ctx context.Context, broker *nats.Broker) error {
	for {
		var differences []nats.Difference
		err := p.upgrade(ctx, broker)
		if err == nil {
			differences, err = broker.Provision(ctx)
		}
		p.health.report("streams", err)
		if err == nil {
			for _, d := range differences {
				p.Log.Warn("a stream is not as configured, see `scaffoldwatch streams init`", "difference", d.String())
			}
			if p.Server != nil {
				if err := p.Server.StageInMemory(); err != nil {
					p.Log.Warn("commits are staged on disk, which is slower", "error", err)
				}
			}
			return nil
		}
		p.Log.Warn("streams are not there yet", "error", err)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
	}
}

// upgrade lets the streams of an embedded server, which are this system's own,
// take the event types that are new in this version.
func (p *process) upgrade(ctx context.Context, broker *nats.Broker) error {
	if p.Server == nil {
		return nil
	}
	changed, err := broker.AddSubjects(ctx)
	if len(changed) > 0 {
		p.Log.Info("streams take the event types of this version", "streams", changed)
	}
	return err
}

func (p *process) drain(nc *nats.Conn) {
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

func (p *process) serveHTTP() (*httpapi.Server, error) {
	routes := map[string]http.Handler{}
	if p.reporter != nil {
		routes = p.reporter.routes()
	}
	if p.hooks != nil {
		maps.Copy(routes, p.hooks.routes())
	}
	h := p.Config.HTTP
	return httpapi.Start(httpapi.Options{
		Address: h.Address, Token: h.Token, TLSCert: h.TLSCert, TLSKey: h.TLSKey, Registry: p.metrics, Routes: routes,
	})
}

func (p *process) closeHTTP(server *httpapi.Server) {
	ctx, cancel := context.WithTimeout(context.Background(), p.Config.Stage.DrainTimeout)
	defer cancel()
	if err := server.Close(ctx); err != nil {
		p.Log.Warn("close the HTTP interface", "error", err)
	}
}

func (p *process) has(name string) bool {
	for _, n := range p.Names {
		if n == name {
			return true
		}
	}
	return false
}

// ConnectOptions are how a process of the given name reaches the broker.
func ConnectOptions(c config.Config, name string) nats.ConnectOptions {
	o := nats.ConnectOptions{URL: c.NATS.URL, Name: name, Creds: c.NATS.Credentials}
	if c.NATS.User != "" {
		o.Extra = append(o.Extra, nats.UserPassword(c.NATS.User, expand(c.NATS.Password)))
	}
	return o
}

// ignoreCancelled makes the end of a context a normal end.
func ignoreCancelled(ctx context.Context, err error) error {
	if ctx.Err() != nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("service: %w", err)
	}
	return nil
}
