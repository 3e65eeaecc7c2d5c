package main

import (
	"encoding/json"
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
)

type sessionsCommand struct {
	connection
	Output string `short:"o" help:"Output: text or json." enum:"text,json" default:"text"`
	Limit  int    `help:"Maximum number to list, latest first; 0 for all." default:"50"`
}

// Help gives examples.
func (sessionsCommand) Help() string {
	return `Lists the sessions, from the read model if reports.database names its file, else from
DECISIONS.

Examples:
  scaffoldwatch sessions
  scaffoldwatch sessions --output json --limit 0`
}

// Run lists the sessions DECISIONS knows, the latest first.
func (c *sessionsCommand) Run(r *run) error {
	if c.Limit < 0 {
		return usageError{fmt.Errorf("--limit %d: it takes 0 or more", c.Limit)}
	}
	model, closeModel, err := c.readModel(r)
	if err != nil {
		return err
	}
	defer closeModel()
	list, err := model.Sessions(r, c.Limit)
	if err != nil {
		return err
	}
	if c.Output == "json" {
		encoder := json.NewEncoder(r.out)
		encoder.SetIndent("", "  ")
		return encoder.Encode(list)
	}
	total, err := model.CountSessions(r)
	if err != nil {
		return err
	}
	return c.print(r, list, total-len(list))
}

// readModel is the read model to ask: its file where reports.database names one,
// else what is read from the running system.
func (c connection) readModel(r *run) (*readmodel.Model, func(), error) {
	settings, err := c.settings(r)
	if err != nil {
		return nil, nil, err
	}
	return c.modelOf(r, settings.Reports)
}

// freshModel is a read model of what DECISIONS holds now, of the events that
// filters select (none: all): a file may lag behind.
func (c connection) freshModel(r *run, filters ...string) (*readmodel.Model, func(), error) {
	return c.modelOf(r, decisions.ReadAfresh, filters...)
}

func (c connection) modelOf(r *run, settings config.Reports, filters ...string) (*readmodel.Model, func(), error) {
	return c.modelBy(r, settings, nil, filters...)
}

// modelBy judges runs by the rules of a reading.
func (c connection) modelBy(r *run, settings config.Reports, by *decisions.Reading, filters ...string) (*readmodel.Model, func(), error) {
	broker, nc, err := c.open(r)
	if err != nil {
		return nil, nil, err
	}
	defer nc.Close()
	model, err := decisions.ReadModelBy(r, settings, by, broker, filters...)
	if err != nil {
		return nil, nil, err
	}
	return model, func() { _ = model.Close() }, nil // nothing was written
}

func (c *sessionsCommand) print(r *run, list []decisions.SessionSummary, left int) error {
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
