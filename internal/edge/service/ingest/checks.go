package ingest

import (
	"context"
	"fmt"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/hook"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/guard/uncommitted"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/hook/hookapi"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/workspace/experiment"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines/ingest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/ledger"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

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
