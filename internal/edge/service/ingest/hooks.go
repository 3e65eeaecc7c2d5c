package ingest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	agents "github.com/scaffoldwatch/scaffoldwatch/internal/agent/all"
	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/hookapi"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/mailbox"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/obs"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/preflight"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// hooks answers agents' hooks in the process of ingest.
type hooks struct {
	mailbox *mailbox.Mailbox
	handler *hookapi.Handler
	report  func(error)
}

func newHooks(p *service.Process, checker *preflight.Checker) service.Part {
	box := mailbox.New()
	h := &hooks{mailbox: box, report: func(err error) { p.Report("hooks", err) }, handler: hookapi.New(hookapi.Options{
		Dialects: agents.Hooks(),
		Mailbox:  box, Wait: p.Config.Hooks.Wait, Tokens: p.Config.Hooks.Tokens, Log: p.Log, Metrics: obs.NewHookMetrics(p.Metrics),
		Preflight: askPreflight(checker, obs.NewPreflightMetrics(p.Metrics), p.Config),
	})}
	h.report(errors.New("not connected yet"))
	return service.Part{Routes: map[string]http.Handler{hookapi.Pattern: h.handler}, Run: h.run}
}

// run follows what was decided and records hook calls until ctx ends.
func (h *hooks) run(ctx context.Context, broker *nats.Broker) error {
	publisher, err := client.NewPublisher(broker.Conn(), client.PublisherOptions{Source: hookapi.Source})
	if err != nil {
		return fmt.Errorf("answer hooks: %w", err)
	}
	defer func() { _ = publisher.Close() }()
	h.handler.Attach(publisher)
	h.mailbox.Run(ctx, broker, h.report)
	return nil
}

// watched is what an agent must leave alone: this process and where it and the
// broker listen.
func watched(c config.Config) preflight.Watch {
	w := preflight.Watch{Process: os.Getpid()}
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

// askPreflight is the answer of the core about a tool that is about to run (DP-24).
func askPreflight(checker *preflight.Checker, metrics *obs.PreflightMetrics, settings config.Config) hookapi.Preflight {
	watch := watched(settings)
	return func(q hookapi.Question) sessionevents.HookAnswer {
		began, e := time.Now(), q.Event
		answer := checker.Check(preflight.Call{
			Session: e.Speaker, Run: q.Run, Name: e.Tool.Name, Input: e.Tool.Input,
			Directory: e.Workspace, Workspace: e.Workspace, State: q.State.State, Halt: q.State.Why,
			Mutes: q.Mutes, Turn: q.Turn, At: began, Watch: watch,
		})
		metrics.Answered(string(answer.Decision), string(answer.Class), answer.Rule, time.Since(began))
		return sessionevents.HookAnswer{
			Decision: answer.Decision, Class: answer.Class, Rule: answer.Rule, Text: answer.Text, Reason: answer.Reason,
		}
	}
}
