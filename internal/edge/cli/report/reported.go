package report

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/doc"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runreport"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sessionreport"
)

// subject is what a report is about: a session or a run.
type subject struct {
	kind   string
	read   func(context.Context) (reported, error)
	follow func(context.Context, func(reported) error) error
}

// subject determines what the id names: a run if it has run events, otherwise a session; --run and
// --session override that.
func (c *Report) subject(ctx context.Context, broker *nats.Broker, by *decisions.Reading) (subject, error) {
	isRun := c.AsRun
	if !c.AsRun && !c.AsSession {
		var err error
		if isRun, err = decisions.IsRun(ctx, broker, c.ID); err != nil {
			return subject{}, err
		}
	}
	if isRun {
		return subject{
			kind: "run",
			read: func(ctx context.Context) (reported, error) {
				m, err := decisions.ReadRunReport(ctx, broker, c.ID, by)
				return runReport{m, c.Explain}, err
			},
			follow: func(ctx context.Context, changed func(reported) error) error {
				return decisions.FollowRunReport(
					ctx,
					broker,
					c.ID,
					func(m runreport.Model) error { return changed(runReport{m, c.Explain}) },
					by,
				)
			},
		}, nil
	}
	return subject{
		kind: "session",
		read: func(ctx context.Context) (reported, error) {
			m, err := decisions.ReadReport(ctx, broker, c.ID, by)
			return sessionReport{m, c.Explain}, err
		},
		follow: func(ctx context.Context, changed func(reported) error) error {
			return decisions.FollowReport(
				ctx,
				broker,
				c.ID,
				func(m sessionreport.Model) error { return changed(sessionReport{m, c.Explain}) },
				by,
			)
		},
	}, nil
}

// reported is a report on a session or a run.
type reported interface {
	begun() bool
	summary() string
	moments() []string
	data() any
	text(out io.Writer, s doc.Screen) error
	// print writes it in the form that was asked for.
	print(c *Report, r *cli.Call) error
}

type sessionReport struct {
	m       sessionreport.Model
	explain bool
}

func (s sessionReport) begun() bool       { return s.m.Turns > 0 }
func (s sessionReport) summary() string   { return sessionreport.Summary(s.m) }
func (s sessionReport) moments() []string { return s.m.Moments() }
func (s sessionReport) data() any         { return s.m }

func (s sessionReport) text(out io.Writer, screen doc.Screen) error {
	screen.Explain = s.explain
	return doc.WriteText(out, sessionreport.Document(s.m), screen)
}

func (s sessionReport) print(c *Report, r *cli.Call) error {
	switch c.Output {
	case "sarif":
		return c.sarif(r, s.m)
	case "text":
		return cli.PrintSessions(r.Stdout, r.Theme, []sessionreport.Model{s.m}, s.explain)
	}
	return sessionreport.Report(s.m).Write(r.Stdout, c.Output, doc.Screen{})
}

type runReport struct {
	m       runreport.Model
	explain bool
}

func (s runReport) begun() bool       { return s.m.Run.Events > 0 }
func (s runReport) summary() string   { return page.Plain(runreport.Summary(s.m)) }
func (s runReport) moments() []string { return s.m.Moments() }
func (s runReport) data() any         { return s.m }

func (s runReport) text(out io.Writer, screen doc.Screen) error {
	screen.Explain = s.explain
	return runreport.Report(s.m, time.Local).Write(out, "text", screen)
}

func (s runReport) print(c *Report, r *cli.Call) error {
	if c.Output == "sarif" {
		return cli.Usage(errors.New("sarif has findings in files, which are in the reports of a run's sessions"))
	}
	screen := doc.Screen{Width: r.Theme.Width, Style: cli.TextStyle{Theme: r.Theme}, Explain: s.explain}
	return runreport.Report(s.m, time.Local).Write(r.Stdout, c.Output, screen)
}
