package main

import (
	"encoding/json"
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/app"
	"github.com/scaffoldwatch/scaffoldwatch/internal/core/report"
	"github.com/scaffoldwatch/scaffoldwatch/internal/core/report/sarif"
	"github.com/scaffoldwatch/scaffoldwatch/internal/natsio"
	"github.com/scaffoldwatch/scaffoldwatch/internal/terminal"
)

type reportCommand struct {
	connection
	Session string `arg:"" help:"Session id, see scaffoldwatch sessions."`
	Output  string `short:"o" help:"text, md, json, html or sarif." enum:"text,md,json,html,sarif" default:"md"`
	Follow  bool   `short:"f" help:"Show it again whenever it changes, until the session closes."`
}

// Help gives examples.
func (reportCommand) Help() string {
	return `The report of a session, also of one that still goes on.

Examples:
  scaffoldwatch report payments-webhook
  scaffoldwatch report payments-webhook --output html > report.html
  scaffoldwatch report payments-webhook --follow
  scaffoldwatch report payments-webhook --output json | jq .health`
}

// Run folds the session's decisions into its report.
func (c *reportCommand) Run(r *run) error {
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

type sessionsCommand struct {
	connection
	Output string `short:"o" help:"text or json." enum:"text,json" default:"text"`
	Limit  int    `help:"At most this many, the latest first; 0 for all." default:"50"`
}

// Help gives examples.
func (sessionsCommand) Help() string {
	return `Examples:
  scaffoldwatch sessions
  scaffoldwatch sessions --output json --limit 0`
}

// Run lists the sessions DECISIONS knows, the latest first.
func (c *sessionsCommand) Run(r *run) error {
	if c.Limit < 0 {
		return usageError{fmt.Errorf("--limit %d: it takes 0 or more", c.Limit)}
	}
	broker, nc, err := c.open(r)
	if err != nil {
		return err
	}
	defer nc.Close()
	sessions := app.NewSessions()
	err = broker.ReadAll(r, natsio.ReaderOptions{Stage: "dispatcher", Partition: natsio.AllPartitions}, func(a natsio.Accepted) error {
		sessions.Apply(a.Input.Event)
		return nil
	})
	if err != nil {
		return err
	}
	list := sessions.List()
	left := 0
	if c.Limit > 0 && len(list) > c.Limit {
		left, list = len(list)-c.Limit, list[:c.Limit]
	}
	if c.Output == "json" {
		encoder := json.NewEncoder(r.out)
		encoder.SetIndent("", "  ")
		return encoder.Encode(list)
	}
	return c.print(r, list, left)
}

func (c *sessionsCommand) print(r *run, list []app.SessionSummary, left int) error {
	if len(list) == 0 {
		_, err := fmt.Fprintln(r.out, "no sessions yet; `scaffoldwatch publish FILE` sends one")
		return err
	}
	t := r.theme
	session, agent := len("session"), len("agent")
	for _, s := range list { // an id is never shortened: it is there to be copied
		session, agent = max(session, len(s.Session)), min(max(agent, len(s.Agent)), 14)
	}
	fmt.Fprintln(r.out, t.Faint.Render(fmt.Sprintf("%-*s  %-*s  %5s  %7s  %5s  %-6s  %s", session, "session", agent, "agent", "turns", "signals", "fired", "state", "last event (UTC)")))
	for _, s := range list {
		state := "open"
		if s.Closed {
			state = "closed"
		}
		if _, err := fmt.Fprintf(r.out, "%-*s  %s  %5d  %7d  %5d  %-6s  %s\n", session, s.Session, terminal.Fit(terminal.Clean(s.Agent), agent),
			s.Turns, s.Signals, s.Interrupts, state, s.Last.UTC().Format("2006-01-02 15:04")); err != nil {
			return err
		}
	}
	if left > 0 {
		fmt.Fprintln(r.out, t.Faint.Render(fmt.Sprintf("… and %d more (--limit 0 lists all)", left)))
	}
	return nil
}
