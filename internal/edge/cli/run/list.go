// Package run holds the commands about runs: what was decided, what a person answers, and what an
// orchestrator reports and asks.
package run

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
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
	return `Lists the runs with their state, open breaks and what waits for a person, from the read
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
	broker, nc, err := c.Open(r)
	if err != nil {
		return err
	}
	defer nc.Close()
	if c.ID != "" {
		named, err := decisions.Named(r, broker, c.ID)
		if err != nil {
			return err
		}
		one, err := decisions.RunOf(r, broker, cmp.Or(named.RunID(), named.ID))
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
	return PrintRuns(r, list, total-len(list))
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

// lastType returns the last event type, a dash for a run of which only the sessions are known.
func lastType(one runlist.Run) string {
	if one.LastType == "" {
		return "-"
	}
	return string(one.LastType)
}

func lastTime(one runlist.Run) string {
	if one.Last.IsZero() {
		return "-"
	}
	return one.Last.UTC().Format("2006-01-02 15:04")
}

// PrintRuns prints one line for each run, and how many more there are.
func PrintRuns(r *cli.Call, list []runlist.Run, left int) error {
	if len(list) == 0 {
		_, err := fmt.Fprintln(r.Stdout, "no runs yet; `scaffoldwatch run-event run.started --run ID` begins one")
		return err
	}
	width := len("run")
	for _, one := range list { // an id is never shortened: people copy it
		width = max(width, len(one.ID))
	}
	fmt.Fprintln(
		r.Stdout,
		r.Theme.Faint.Render(fmt.Sprintf(
			"%-*s  %-9s %-22s %5s  %-22s %s", width, "run", "state", "open break", "waits", "last event", "at (UTC)",
		)),
	)
	for _, one := range list {
		trigger := "-"
		if one.Break != nil {
			trigger = string(one.Break.Trigger)
		}
		if _, err := fmt.Fprintf(r.Stdout, "%-*s  %-9s %-22s %5d  %-22s %s\n", width, one.ID, one.Standing(), trigger,
			one.Waits(), lastType(one), lastTime(one)); err != nil {
			return err
		}
	}
	if left > 0 {
		fmt.Fprintln(r.Stdout, r.Theme.Faint.Render(fmt.Sprintf("… and %d more (--limit 0 lists all)", left)))
	}
	return nil
}

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
	lines = append(lines, fmt.Sprintf("  %-10s %s", "state", one.State))
	if one.LastType != "" {
		lines = append(
			lines,
			fmt.Sprintf("  %-10s %s at %s, %s", "last", one.LastType, moment(one.Last), cli.Plural(one.Events, "event")),
		)
	}
	if one.Warnings > 0 {
		lines = append(lines, fmt.Sprintf("  %-10s %d, see scaffoldwatch report %s", "warnings", one.Warnings, one.ID))
	}
	lines = append(lines, waiting(one)...)
	for i := range lines {
		lines[i] = terminal.Clean(lines[i])
	}
	return cli.WriteLines(r.Stdout, append([]string{r.Theme.Title.Render(one.ID)}, lines...))
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
		lines = append(lines, breakLines(one.Break)...)
		choices(one.Break.Options)
		lines = append(lines, "  to go on: "+runlist.WayOut(one.ID, one.Break.Trigger))
	}
	for _, e := range one.Escalations {
		lines = append(lines, fmt.Sprintf("for %s: %s: %s", e.To, e.Issue, e.Text))
		choices(e.Options)
		lines = append(lines, "  seen? scaffoldwatch ack "+e.ID)
	}
	for _, g := range one.Refused {
		lines = append(lines, fmt.Sprintf("gate %s: %s (%s): %s", g.Gate, g.Decision, g.Rule, g.Why))
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

func breakLines(b *runlist.Break) []string {
	if b.Trigger == "" { // it was decided before the part that is read
		return []string{"break " + b.ID}
	}
	lines := []string{tellBreak(&b.WiggumBreak), "  break " + b.ID + " at " + moment(b.At)}
	for _, id := range b.Evidence {
		lines = append(lines, "  evidence: event "+quote.Name(id))
	}
	if b.Present != "" {
		lines = append(lines, "  "+b.Present)
	}
	return lines
}

func moment(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }
