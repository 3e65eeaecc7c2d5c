package app

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	agents "github.com/scaffoldwatch/scaffoldwatch/internal/agent/all"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/hookapi"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/mailbox"
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
	health  *health
}

func newHooks(p *process) *hooks {
	box := mailbox.New()
	p.health.report("hooks", errors.New("not connected yet"))
	return &hooks{mailbox: box, health: p.health, handler: hookapi.New(hookapi.Options{
		Dialects: agents.Hooks(),
		Mailbox:  box, Wait: p.Config.Hooks.Wait, Log: p.Log, Metrics: obs.NewHookMetrics(p.metrics),
		Preflight: askPreflight(p.core.Preflight, obs.NewPreflightMetrics(p.metrics)),
	})}
}

func (h *hooks) routes() map[string]http.Handler {
	return map[string]http.Handler{hookapi.Pattern: h.handler}
}

// run follows what was decided and records hook calls until ctx ends.
func (h *hooks) run(ctx context.Context, broker *nats.Broker) error {
	publisher, err := client.NewPublisher(broker.Conn(), client.PublisherOptions{Source: hookapi.Source})
	if err != nil {
		return fmt.Errorf("take hooks: %w", err)
	}
	defer func() { _ = publisher.Close() }()
	h.handler.Attach(publisher)
	h.mailbox.Run(ctx, broker, func(err error) { h.health.report("hooks", err) })
	return nil
}

// askPreflight is the answer of the core about a tool that is about to run (DP-24).
func askPreflight(checker *preflight.Checker, metrics *obs.PreflightMetrics) hookapi.Preflight {
	return func(q hookapi.Question) sessionevents.HookAnswer {
		began, e := time.Now(), q.Event
		answer := checker.Check(preflight.Call{
			Session: e.Speaker, Run: q.Run, Name: e.Tool.Name, Input: e.Tool.Input,
			Directory: e.Workspace, Workspace: e.Workspace, State: q.State.State, Halt: q.State.Why,
			Mutes: q.Mutes, Turn: q.Turn, At: began,
		})
		metrics.Answered(answer, time.Since(began))
		return sessionevents.HookAnswer{
			Decision: string(answer.Decision), Class: string(answer.Class), Rule: answer.Rule, Text: answer.Text, Reason: answer.Reason,
		}
	}
}
