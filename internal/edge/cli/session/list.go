// Package session holds the commands that show sessions.
package session

import (
	"cmp"
	"fmt"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/naming"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
)

// List lists the sessions of a running system.
type List struct {
	cli.Connection
	Of     string `arg:"" optional:"" name:"run|session" help:"Only this session, or those of this run, by id or the first letters of it."`
	Output string `short:"o" help:"Output: text or json." enum:"text,json" default:"text"`
	Limit  int    `help:"Maximum number to list, latest first; 0 for all." default:"50"`
}

// Help gives examples.
func (List) Help() string {
	return `Lists the sessions, from the read model if reports.database names its file, else from
DECISIONS.

Examples:
  scaffoldwatch sessions
  scaffoldwatch sessions nightly
  scaffoldwatch sessions --output json --limit 0`
}

// Run lists the sessions in DECISIONS, latest first.
func (c *List) Run(r *cli.Call) error {
	if c.Limit < 0 {
		return cli.Usage(fmt.Errorf("--limit %d: must be 0 or more", c.Limit))
	}
	model, closeModel, err := c.ReadModel(r)
	if err != nil {
		return err
	}
	defer closeModel()
	list, total, err := c.list(r, model)
	if err != nil {
		return err
	}
	if c.Output == "json" {
		return cli.Indented(r.Stdout, list)
	}
	if c.Of != "" && total == 0 {
		_, err := fmt.Fprintf(r.Stdout, "%s has no sessions yet\n", c.Of)
		return err
	}
	return Print(r, list, total-len(list))
}

// list returns the selected sessions, and their number without the limit.
func (c *List) list(r *cli.Call, model *readmodel.Model) (list []decisions.SessionSummary, total int, err error) {
	if c.Of != "" {
		if list, err = c.named(r, model); err != nil {
			return nil, 0, err
		}
		total = len(list)
		return list[:min(total, cmp.Or(c.Limit, total))], total, nil
	}
	if list, err = model.Sessions(r, c.Limit); err != nil {
		return nil, 0, err
	}
	total, err = model.CountSessions(r)
	return list, total, err
}

// named returns the session, or the run's sessions, that a person named.
func (c *List) named(r *cli.Call, model *readmodel.Model) ([]decisions.SessionSummary, error) {
	broker, _, err := c.Open(r)
	if err != nil {
		return nil, err
	}
	p, err := decisions.FindPlace(r, broker, c.Of)
	if err != nil {
		return nil, err
	}
	if p.Run {
		return model.GroupSessions(r, p.ID)
	}
	one, known, err := model.Session(r, p.ID)
	if err != nil || !known {
		return nil, err
	}
	return []decisions.SessionSummary{one}, nil
}

// Print prints one line for each session, and how many more there are. A terminal shows a session's project
// and task beside its short id (CO-5, CO-5a); scripts get the whole id.
func Print(r *cli.Call, list []decisions.SessionSummary, left int) error {
	if len(list) == 0 {
		_, err := fmt.Fprintln(r.Stdout, "no sessions yet; `scaffoldwatch publish FILE` sends one")
		return err
	}
	ids := make([]string, len(list))
	for i, s := range list {
		ids[i] = s.Session
	}
	short := naming.Short(ids)
	rows := [][]string{columnNames(r.Theme)}
	for _, s := range list {
		rows = append(rows, cells(s, short[s.Session], r.Theme))
	}
	for i, line := range columns(rows, r.Theme) {
		if i == 0 {
			line = r.Theme.Faint.Render(line)
		}
		if _, err := fmt.Fprintln(r.Stdout, line); err != nil {
			return err
		}
	}
	if left > 0 {
		fmt.Fprintln(r.Stdout, r.Theme.Faint.Render(fmt.Sprintf("… and %d more (--limit 0 lists all)", left)))
	}
	return nil
}

const (
	// what is the column that a terminal gives the rest of its width.
	what = 1
	// leastWhat is the least room in which a name says something.
	leastWhat = 16
	// roomy is from which width on a terminal has room for the agent.
	roomy = 110
)

func columnNames(theme terminal.Theme) []string {
	switch {
	case !theme.Interactive:
		return []string{"session", "agent", "turns", "signals", "fired", "state", "last event (UTC)"}
	case theme.Width < roomy:
		return []string{"session", "what", "turns", "told", "state", "last"}
	}
	return []string{"session", "what", "turns", "told", "state", "last", "agent"}
}

// cells are the columns of a session: for a person a name, what it was told, the time here; for a script the
// whole id and every number.
func cells(s decisions.SessionSummary, short string, theme terminal.Theme) []string {
	state := "open"
	if s.Closed {
		state = "closed"
	}
	agent := terminal.Shorten(terminal.Clean(s.Agent), 14)
	if !theme.Interactive {
		return []string{
			s.Session, agent, fmt.Sprint(s.Turns), fmt.Sprint(s.Signals), fmt.Sprint(s.Interrupts), state,
			s.Last.UTC().Format("2006-01-02 15:04"),
		}
	}
	told := ""
	if s.Interrupts > 0 {
		told = fmt.Sprint(s.Interrupts)
	}
	row := []string{
		short, terminal.Clean(naming.Title(s.Workspace, s.Task)), fmt.Sprint(s.Turns), told, state,
		s.Last.Local().Format("2 Jan 15:04"), agent,
	}
	return row[:len(columnNames(theme))]
}

// columns lays out a table: numbers are right-aligned; on a terminal the name has the room that is left.
func columns(rows [][]string, theme terminal.Theme) []string {
	widths := make([]int, len(rows[0]))
	all := 2 * (len(widths) - 1)
	for i := range widths {
		for _, row := range rows {
			widths[i] = max(widths[i], lipgloss.Width(row[i]))
		}
		all += widths[i]
	}
	if theme.Interactive && all > theme.Width {
		widths[what] = max(widths[what]-all+theme.Width, leastWhat)
	}
	lines := make([]string, 0, len(rows))
	for _, row := range rows {
		texts := make([]string, len(row))
		for i, cell := range row {
			texts[i] = terminal.Fit(cell, widths[i])
			if numbers[rows[0][i]] {
				texts[i] = strings.Repeat(" ", widths[i]-lipgloss.Width(cell)) + cell
			}
		}
		lines = append(lines, strings.TrimRight(strings.Join(texts, "  "), " "))
	}
	return lines
}

// numbers are the columns that hold some.
var numbers = map[string]bool{"turns": true, "signals": true, "fired": true, "told": true}
