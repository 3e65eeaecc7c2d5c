package ingest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	agents "github.com/scaffoldwatch/scaffoldwatch/internal/agent/all"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/hook"
	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/guard"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/guard/alone"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/guard/uncommitted"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/hook/hookapi"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/hook/mailbox"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/workspace/experiment"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/workspace/observe"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/source"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines/ingest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/obs"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/ledger"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/preflight"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// hooks answers agents' hooks in the process of ingest.
type hooks struct {
	mailbox *mailbox.Mailbox
	handler *hookapi.Handler
	report  func(error)
	spool   alone.Spool
	checks  *checks // nil where nothing is run after a response
	log     *slog.Logger
}

func newHooks(p *service.Process, checker *preflight.Checker) service.Part {
	box, desk := mailbox.New(), uncommitted.New()
	box.Edited = desk.Edited
	kinds := append(obs.Detectors(p.Rules), preflight.RuleDestructive, preflight.RuleSelfRelease)
	g := &guard.Guard{
		Metrics: obs.NewPreflightMetrics(p.Metrics, kinds),
		Checker: checker, Desk: desk, Watch: watched(p.Config), Rescue: p.Config.Hooks.Rescue,
		Begins: box.Begins,
	}
	box.Allowed = g.Lift
	eye := &observe.Hooks{Rules: p.Rules, Desk: desk}
	seen, stopped := g.Seen, (func(*hook.Event, string, int))(nil)
	checks := newChecks(p, desk)
	if checks != nil {
		seen, stopped = checks.with(g.Seen), checks.stopped
	}
	spool := alone.Spool{Folder: p.Config.Hooks.Spool}
	var keep func(events.Event) error
	if spool.Folder != "" {
		keep = spool.Put
	}
	h := &hooks{mailbox: box, checks: checks, spool: spool, log: p.Log, report: func(err error) { p.Report("hooks", err) }, handler: hookapi.New(hookapi.Options{
		Dialects: agents.Hooks(),
		Mailbox:  box, Wait: p.Config.Hooks.Wait, Tokens: p.Config.Hooks.Tokens, Log: p.Log,
		Metrics:   obs.NewHookMetrics(p.Metrics, agents.Hooks().Agents(), hook.Points()),
		Preflight: g.Answer, Seen: seen, Allowed: g.Allowed, Spool: keep, Look: eye.Look, Stopped: stopped,
	})}
	h.report(errors.New("not connected yet"))
	return service.Part{Routes: map[string]http.Handler{hookapi.Pattern: h.handler}, Run: h.run}
}

// run follows the decisions and records hook calls until ctx ends.
func (h *hooks) run(ctx context.Context, broker *nats.Broker) error {
	publisher, err := client.NewPublisher(broker.Conn(), client.PublisherOptions{Source: hookapi.Source})
	if err != nil {
		return fmt.Errorf("answer hooks: %w", err)
	}
	defer func() { _ = publisher.Close() }()
	h.handler.Attach(recording{publisher, broker})
	var beside sync.WaitGroup
	if h.spool.Folder != "" {
		beside.Go(func() { h.takeIn(ctx, publisher) })
	}
	if h.checks != nil {
		beside.Go(func() { h.checks.run(ctx, publisher) })
	}
	h.mailbox.Run(ctx, broker, h.report)
	beside.Wait()
	return nil
}

// spoolEvery is how often the spool is read: a hook also decides alone when an answer takes too long.
const spoolEvery = 5 * time.Second

// takeIn records, until ctx ends, what hooks decided while no system answered (GD-20).
func (h *hooks) takeIn(ctx context.Context, publisher *client.Publisher) {
	every := time.NewTicker(spoolEvery)
	defer every.Stop()
	for {
		taken, err := h.spool.Take(ctx, func(ctx context.Context, e events.Event) error {
			_, err := publisher.Event(ctx, e)
			return err
		})
		switch {
		case err != nil && ctx.Err() == nil:
			h.log.Warn("not everything that hooks decided alone is recorded", "error", err)
		case taken > 0:
			h.log.Info("recorded what hooks decided while nothing answered", "decisions", taken)
		}
		select {
		case <-ctx.Done():
			return
		case <-every.C:
		}
	}
}

// recording publishes events, and can look up what INPUT holds.
type recording struct {
	*client.Publisher
	broker *nats.Broker
}

// SentBefore implements [hookapi.Publisher].
func (r recording) SentBefore(ctx context.Context, e events.Event, sequence uint64) (bool, error) {
	return source.SentBefore(ctx, r.broker, e, sequence)
}

// watched returns what an agent must not stop: this process, its program, and the addresses at which it and
// the broker listen.
func watched(c config.Config) preflight.Watch {
	w := preflight.Watch{Process: os.Getpid()}
	if program, err := os.Executable(); err == nil {
		w.Folder = filepath.ToSlash(filepath.Dir(program))
	}
	addresses := []string{c.HTTP.Address}
	for server := range strings.SplitSeq(c.NATS.URL, ",") {
		addresses = append(addresses, server[strings.LastIndex(server, "/")+1:])
	}
	for _, address := range addresses {
		if _, port, err := net.SplitHostPort(address); err == nil && port != "0" {
			w.Ports = append(w.Ports, port)
		}
	}
	return w
}

// checks runs what complete responses claim to have passed, if so configured (JD-21).
type checks struct {
	atStop experiment.AtStop
	desk   *uncommitted.Desk
}

// newChecks returns nil if nothing is to be run, or if it is unknown what a person allowed.
func newChecks(p *service.Process, desk *uncommitted.Desk) *checks {
	if !p.Config.Hooks.RunChecks {
		return nil
	}
	c, err := readChecks(p)
	if err != nil {
		p.Log.Error("nothing is run after a response", "error", err)
		return nil
	}
	c.desk = desk
	return c
}

func readChecks(p *service.Process) (*checks, error) {
	finder, err := experiment.New(p.Rules)
	if err != nil {
		return nil, err
	}
	claims, err := ledger.Load(p.Rules)
	if err != nil {
		return nil, err
	}
	redactor, err := ingest.Redactor(p.Deployment())
	if err != nil {
		return nil, err
	}
	consents, err := experiment.Default()
	if err != nil {
		return nil, err
	}
	redact := func(text string) string {
		text, _ = redactor.Text(text, "")
		return text
	}
	return &checks{atStop: experiment.AtStop{
		Finder: finder, Claims: claims, Consents: consents,
		Limit: p.Config.Hooks.ChecksLimit, Redact: redact, Log: p.Log,
	}}, nil
}

// with returns a function that records activity and then calls seen.
func (c *checks) with(seen func(*hook.Event)) func(*hook.Event) {
	return func(e *hook.Event) {
		if e.Workspace != "" {
			c.atStop.Seen(c.desk.Workspace(e.Session, e.Workspace), time.Now())
		}
		seen(e)
	}
}

func (c *checks) stopped(e *hook.Event, run string, turn int) {
	c.atStop.Stopped(experiment.Response{
		Session: e.Session, Run: run, Workspace: c.desk.Workspace(e.Session, e.Workspace),
		Text: e.Reported(), Turn: turn, At: time.Now(),
	})
}

// run runs pending checks until ctx ends, and records the receipts.
func (c *checks) run(ctx context.Context, publisher *client.Publisher) {
	c.atStop.Publish = func(ctx context.Context, receipt *sessionevents.CheckObserved) error {
		if _, err := publisher.Event(ctx, experiment.Event(hookapi.Source, receipt, time.Now())); err != nil {
			return fmt.Errorf("record the receipt: %w", err)
		}
		return nil
	}
	c.atStop.Run(ctx)
}
