// Package run holds the commands about runs: what was decided, what a person answers, and what an
// orchestrator reports and asks.
package run

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"charm.land/lipgloss/v2"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/naming"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runlist"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// List lists the runs, or shows one.
type List struct {
	cli.Connection
	ID      string `arg:"" optional:"" name:"run" help:"Run to show in detail, or a session of it, by id or the first letters of it."`
	Output  string `short:"o" help:"Output: text or json." enum:"text,json" default:"text"`
	Limit   int    `help:"Maximum number to list, latest first; 0 for all." default:"50"`
	State   string `help:"Only runs in this state: running, paused, draining, halted, done or unknown." placeholder:"STATE"`
	Project string `help:"Only runs of this project; for runs without a project, of this workspace." placeholder:"NAME"`
	Waiting bool   `help:"Only runs that wait for a person."`
}

// Help gives examples.
func (List) Help() string {
	return `Lists the runs with their state, what halted them and what waits for a person, from the read
model if reports.database names its file, else from DECISIONS. With an id, shows the run
from DECISIONS: the break with its evidence, escalations, questions and gates.

Examples:
  scaffoldwatch runs
  scaffoldwatch runs nightly
  scaffoldwatch runs --waiting
  scaffoldwatch runs --state halted --project shop
  scaffoldwatch runs --output json --limit 0`
}

// Run lists the runs, or shows one.
func (c *List) Run(r *cli.Call) error {
	filter := runlist.Filter{State: c.State, Project: c.Project, Waiting: c.Waiting}
	if err := c.check(filter); err != nil {
		return cli.Usage(err)
	}
	settings, err := c.Settings(r)
	if err != nil {
		return err
	}
	broker, _, err := c.Open(r)
	if err != nil {
		return err
	}
	if c.ID != "" {
		found, err := decisions.Named(r, broker, c.ID)
		if err != nil {
			return err
		}
		one, err := decisions.RunOf(r, broker, cmp.Or(found.RunID(), found.ID))
		if err != nil {
			return err
		}
		if c.Output == "json" {
			return cli.Indented(r.Stdout, one)
		}
		return PrintRun(r, one)
	}
	list, total, err := decisions.ListRuns(r, settings.Reports, broker, filter, c.Limit)
	if err != nil {
		return err
	}
	if c.Output == "json" {
		return cli.Indented(r.Stdout, list)
	}
	if total == 0 && filter != (runlist.Filter{}) {
		_, err := fmt.Fprintln(r.Stdout, "no such runs; `scaffoldwatch runs` lists all")
		return err
	}
	if err := PrintRuns(r, list, total-len(list)); err != nil || !r.Theme.Interactive || filter != (runlist.Filter{}) {
		return err
	}
	_, waiting, err := decisions.ListRuns(r, settings.Reports, broker, runlist.Filter{Waiting: true}, 1)
	if err == nil && waiting > 0 {
		fmt.Fprintln(
			r.Stdout,
			r.Theme.Bad.Render(fmt.Sprintf("waiting for you: %d, see scaffoldwatch runs --waiting", waiting)),
		)
	}
	return nil
}

// check rejects flags that cannot be combined, before anything is done.
func (c *List) check(f runlist.Filter) error {
	switch {
	case c.Limit < 0:
		return fmt.Errorf("--limit %d: must be 0 or more", c.Limit)
	case f.State != "" && !slices.Contains(runlist.Standings(), f.State):
		return fmt.Errorf("--state %q: must be one of %s", f.State, strings.Join(runlist.Standings(), ", "))
	case c.ID != "" && f != (runlist.Filter{}):
		return errors.New("--state, --project and --waiting apply to the list: leave out the run")
	}
	return nil
}

// PrintRuns prints one line for each run, and how many more there are.
func PrintRuns(r *cli.Call, list []runlist.Run, left int) error {
	if len(list) == 0 {
		_, err := fmt.Fprintln(r.Stdout, "no runs yet; `scaffoldwatch run-event run.started --run ID` begins one")
		return err
	}
	rows := [][]string{{"run", "state", "halted by", "waits", "last", "goal"}}
	ids := make([]string, len(list))
	for i := range list {
		ids[i] = list[i].ID
	}
	short := naming.Short(ids)
	for i := range list {
		cells := runCells(&list[i], r.Theme)
		if r.Theme.Interactive && naming.Generated(list[i].ID) { // scripts read whole ids
			cells[0] = short[list[i].ID]
		}
		rows = append(rows, cells)
	}
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], lipgloss.Width(cell))
		}
	}
	for n, row := range rows {
		var line strings.Builder
		for i, cell := range row[:len(row)-1] {
			line.WriteString(terminal.Fit(cell, widths[i]) + "  ")
		}
		if room := r.Theme.Width - lipgloss.Width(line.String()); room >= minGoal {
			line.WriteString(shortGoal(row[len(row)-1], room))
		}
		text := strings.TrimRight(line.String(), " ")
		if n == 0 {
			text = r.Theme.Faint.Render(text)
		}
		if _, err := fmt.Fprintln(r.Stdout, text); err != nil {
			return err
		}
	}
	if left > 0 {
		fmt.Fprintln(r.Stdout, r.Theme.Faint.Render(fmt.Sprintf("… and %d more (--limit 0 lists all)", left)))
	}
	return nil
}

// minGoal is the least room in which a goal says something.
const minGoal = 16

// runCells are the columns of a run in the list; what is not, is empty.
func runCells(one *runlist.Run, theme terminal.Theme) []string {
	trigger, waits, last := "", "", ""
	if one.Break != nil {
		trigger = inWords(string(one.Break.Trigger))
	}
	if n := one.Waits(); n > 0 {
		waits = strconv.Itoa(n)
	}
	if !one.Last.IsZero() {
		layout := "2006-01-02 15:04"
		if theme.Interactive { // as in the list of sessions
			layout = "_2 Jan 15:04"
		}
		last = one.Last.Local().Format(layout)
	}
	goal := ""
	if one.Goal != "" {
		goal = terminal.Clean(quote.Passage(one.Goal)) // somebody else's words (DP-20)
	}
	return []string{one.ID, one.Standing(), trigger, waits, last, goal}
}

// shortGoal shortens a quoted goal to a width and keeps its quotation marks.
func shortGoal(goal string, width int) string {
	if lipgloss.Width(goal) <= width || !strings.HasPrefix(goal, `"`) {
		return goal
	}
	return `"` + terminal.Shorten(strings.Trim(goal, `"`), width-2) + `"`
}

// inWords returns a name of the contract as words.
func inWords(name string) string { return strings.NewReplacer("_", " ", ".", " ").Replace(name) }

// PrintRun prints all about one run.
func PrintRun(r *cli.Call, one runlist.Run) error {
	var lines []string
	if one.Goal != "" {
		lines = append(lines, fmt.Sprintf("  %-10s %s", "goal", quote.Passage(one.Goal)))
	}
	for _, f := range []struct {
		name, text string
		quoted     func(string) string
	}{
		{"kind", one.Kind, quote.Name},
		{"workflow", one.Workflow, quote.Name},
		{"workspace", one.Workspace, quote.Path},
		{"project", one.Project, quote.Name},
		{"outcome", one.Outcome, quote.Name},
	} {
		if f.text != "" {
			lines = append(lines, fmt.Sprintf("  %-10s %s", f.name, f.quoted(f.text)))
		}
	}
	lines = append(lines, fmt.Sprintf("  %-10s %s", "state", stands(one)))
	if one.LastType != "" {
		lines = append(
			lines,
			fmt.Sprintf(
				"  %-10s %s at %s, %s",
				"last", inWords(string(one.LastType)), moment(one.Last), text.Count(one.Events, "event"),
			),
		)
	}
	if one.Warnings > 0 {
		lines = append(lines, fmt.Sprintf("  %-10s %d, see scaffoldwatch report %s", "warnings", one.Warnings, one.ID))
	}
	lines = append(lines, waiting(one)...)
	for i := range lines {
		lines[i] = terminal.Clean(lines[i])
		if r.Theme.Interactive {
			lines[i] = wrapped(lines[i], r.Theme.Width)
		}
	}
	return cli.WriteLines(r.Stdout, append([]string{r.Theme.Title.Render(naming.Brief(one.ID))}, lines...))
}

// named matches how far a line is indented, with the name of a field.
var named = pattern.Must(`^ *(?:[a-z0-9]+ {2,})?`)

// wrapped breaks a line for a terminal; the rest is indented to where its text begins.
func wrapped(line string, width int) string {
	if lipgloss.Width(line) <= width {
		return line
	}
	margin := len(named.FindString(line))
	return line[:margin] + terminal.Wrap(line[margin:], width, margin)
}

// waiting lists what is pending in a run; shared options are listed once.
func waiting(one runlist.Run) []string {
	var lines, shown []string
	choices := func(list []runevents.Option) {
		if text := options(list); !slices.Equal(text, shown) {
			lines, shown = append(lines, text...), text
		}
	}
	if one.Break != nil {
		lines = append(lines, breakLines(one.ID, one.Break)...)
		choices(one.Break.Options)
		lines = append(lines, "  to go on: "+runlist.WayOut(one.ID, one.Break.Trigger))
	}
	ids := make([]string, 0, len(one.Escalations))
	for _, e := range one.Escalations {
		ids = append(ids, e.ID)
	}
	short := naming.Short(ids)
	for _, e := range one.Escalations {
		if one.Break == nil || e.Break != one.Break.ID { // otherwise it reports that break
			who := ""
			if e.To != runevents.RecipientUser {
				who = "for the " + string(e.To) + ": "
			}
			lines = append(lines, who+runlist.IssueName(e.Issue)+": "+e.Text)
			choices(e.Options)
			if way := runlist.Answers(one.ID, short[e.ID], &e.EscalationRaised); !strings.Contains(way, " ack ") {
				lines = append(lines, "  to go on: "+way)
			}
		}
		lines = append(lines, "  seen? scaffoldwatch ack "+short[e.ID])
	}
	for _, g := range one.Refused {
		lines = append(lines, fmt.Sprintf("%s, %s: %s (%s)", runlist.GateName(&g.GateDecided), gateAnswer(g.Decision), g.Why, g.Rule))
		choices(g.Options)
		if command := gateCommand(one.ID, &g.GateDecided); command != "" {
			lines = append(lines, "  to open it: "+command)
		}
	}
	for _, q := range one.Questions {
		lines = append(lines, questionLines(one.ID, q)...)
	}
	return lines
}

// gateAnswer is the answer of a gate in words.
func gateAnswer(d runevents.GateDecision) string {
	switch d {
	case runevents.DecisionDeny:
		return "denied"
	case runevents.DecisionHold:
		return "held"
	}
	return inWords(string(d))
}

// stands is how a run stands, with what holds it up.
func stands(one runlist.Run) string {
	if one.Break != nil && one.Break.Trigger != "" {
		return string(one.State) + ", " + inWords(string(one.Break.Trigger))
	}
	return one.Standing()
}

func breakLines(run string, b *runlist.Break) []string {
	if b.Trigger == "" { // it was decided before the part that is read
		return []string{"break " + b.ID}
	}
	lines := []string{inWords(string(b.Trigger)) + ", " + moment(b.At) + ": " + b.Reason}
	if b.WIPAction != "" && b.WIPAction != runevents.WIPNone {
		kept := "  work in progress: " + inWords(string(b.WIPAction)) + " " + b.RevertSHA
		lines = append(lines, strings.TrimRight(kept, " "))
	}
	if b.Present != "" {
		lines = append(lines, "  "+b.Present)
	}
	if n := len(b.Evidence); n > 0 {
		lines = append(lines, fmt.Sprintf("  evidence: %s, see scaffoldwatch report %s --explain", text.Count(n, "event"), naming.Brief(run)))
	}
	return lines
}

func moment(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05") }
