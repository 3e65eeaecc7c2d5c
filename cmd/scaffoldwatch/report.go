package main

import (
	"errors"
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/app"
	"github.com/scaffoldwatch/scaffoldwatch/internal/core/report"
	"github.com/scaffoldwatch/scaffoldwatch/internal/core/report/sarif"
)

type reportCommand struct {
	connection
	Session string `arg:"" optional:"" help:"Session id, see scaffoldwatch sessions."`
	Output  string `short:"o" help:"text, md, json, html or sarif." enum:"text,md,json,html,sarif" default:"md"`
	Follow  bool   `short:"f" help:"Show it again whenever it changes, until the session closes."`
	Fleet   bool   `help:"The report over all sessions and days instead of one session's."`
	Since   string `help:"With --fleet: from this day on (2026-01-31), or 7d, 2w for days that end today (UTC)." placeholder:"7d"`
	Until   string `help:"With --fleet: up to this day." placeholder:"2026-01-31"`
}

// Help gives examples.
func (reportCommand) Help() string {
	return `The report of a session, also of one that still goes on.

Examples:
  scaffoldwatch report payments-webhook
  scaffoldwatch report payments-webhook --output html > report.html
  scaffoldwatch report payments-webhook --follow
  scaffoldwatch report payments-webhook --output json | jq .health
  scaffoldwatch report --fleet --since 7d --output text
  scaffoldwatch report --fleet --since 2026-01-01 --until 2026-01-31 --output html > january.html`
}

// Run folds the session's decisions into its report.
func (c *reportCommand) Run(r *run) error {
	if c.Fleet {
		return c.fleet(r)
	}
	if c.Session == "" {
		return usageError{errors.New("name a session (scaffoldwatch sessions lists them), or --fleet for all of them")}
	}
	if c.Since != "" || c.Until != "" {
		return usageError{errors.New("--since and --until go with --fleet")}
	}
	if c.Follow && (c.Output == "html" || c.Output == "sarif") {
		return usageError{fmt.Errorf("--follow goes with --output text, md or json; %s is one whole document", c.Output)}
	}
	broker, nc, err := c.open(r)
	if err != nil {
		return err
	}
	defer nc.Close()
	if c.Follow {
		return c.follow(r, broker)
	}
	m, err := app.ReadReport(r, broker, c.Session)
	if err != nil {
		return err
	}
	return c.print(r, m)
}

// print writes the report in the form that was asked for.
func (c *reportCommand) print(r *run, m report.Model) error {
	switch c.Output {
	case "html":
		return report.RenderHTML(r.out, m)
	case "sarif":
		return c.sarif(r, m)
	case "json":
		return report.RenderJSON(r.out, m)
	case "text":
		return printSessions(r.out, r.theme, []report.Model{m})
	}
	return report.RenderMarkdown(r.out, m)
}

// sarif describes the rules as the configuration sets them.
func (c *reportCommand) sarif(r *run, m report.Model) error {
	settings, err := loadConfig(r.config, nil)
	if err != nil {
		return usageError{err}
	}
	set, err := app.LoadRules(settings.Rules)
	if err != nil {
		return usageError{err}
	}
	options, err := app.SARIFOptions(set)
	if err != nil {
		return usageError{err}
	}
	return sarif.Render(r.out, options, m)
}
