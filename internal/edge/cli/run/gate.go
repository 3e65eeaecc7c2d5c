package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/publish/runevent"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runlist"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Gate groups the commands about gates.
type Gate struct {
	Request gateRequestCommand `cmd:"" help:"Ask whether a gate would allow an action."`
}

type gateRequestCommand struct {
	cli.Connection
	Gate    string        `arg:"" help:"Gate: launch, worktrees, merge, next_phase or spawn."`
	OfRun   string        `name:"run" required:"" help:"Run id." placeholder:"ID"`
	Wave    int           `help:"Wave number, for launch, worktrees and merge." placeholder:"N"`
	Phase   string        `help:"Phase to start, for next_phase." placeholder:"NAME"`
	Agent   string        `help:"File that describes the agent to spawn, as the data of agent.spawned; - for standard input." placeholder:"FILE"`
	Base    string        `help:"Branch or commit that the agents' branches started from, for merge." placeholder:"SHA"`
	Commits []string      `help:"Number of commits on each agent's branch, for merge: A=2,B=0." placeholder:"LETTER=N,…"`
	Actor   string        `help:"Who asks: KIND or KIND:ID." default:"orchestrator" placeholder:"KIND[:ID]"`
	Timeout time.Duration `help:"How long to wait for the answer." default:"2s"`
	Output  string        `short:"o" help:"Output: text or json." enum:"text,json" default:"text"`
}

// Help gives examples.
func (gateRequestCommand) Help() string {
	return `Asks what a gate would answer, without changing anything. Exits with code 0 for allow
(warnings go to standard error), 3 for deny or hold, and 1 if there was no answer; the gate is
then closed.

Examples:
  scaffoldwatch gate request launch --run nightly --wave 2 && ./launch-wave 2
  scaffoldwatch gate request merge --run nightly --wave 1 --base main --commits A=2,B=1
  scaffoldwatch gate request next_phase --run nightly --phase coding --timeout 5s
  scaffoldwatch gate request spawn --run nightly --agent challenger.json`
}

// Run sends the request and prints the answer.
func (c *gateRequestCommand) Run(r *cli.Call) error {
	asked, err := c.asked(r.Input())
	if err != nil {
		return cli.Usage(err)
	}
	ctx, cancel := context.WithTimeout(r, max(c.Timeout, 0))
	defer cancel()
	bounded := *r
	bounded.Context = ctx
	run, done, err := c.OpenRun(&bounded, c.OfRun, c.Timeout)
	if err != nil {
		return errors.Join(err, c.print(r, client.Closed(asked, "", errors.New("no connection to scaffoldwatch"))))
	}
	defer done()
	answer, err := run.Gate(ctx, asked)
	if printErr := c.print(r, answer); printErr != nil {
		return printErr
	}
	if err != nil {
		return err
	}
	if !client.Allows(&answer) {
		return fmt.Errorf("%w: the gate %s says %s", cli.ErrFailOn, answer.Gate, answer.Decision)
	}
	return nil
}

// asked builds the request from arguments and flags.
func (c *gateRequestCommand) asked(in io.Reader) (runevents.GateRequested, error) {
	q := runevents.GateRequested{Gate: runevents.Gate(c.Gate), Wave: c.Wave, Phase: c.Phase, Base: c.Base}
	var err error
	if q.Actor, err = runevent.ParseActor(c.Actor); err != nil {
		return q, fmt.Errorf("--actor: %w", err)
	}
	if !events.ValidID(c.OfRun) {
		return q, fmt.Errorf("--run %q is not a run id; ids are 1 to 128 of A-Z a-z 0-9 _ -", c.OfRun)
	}
	if q.Agents, err = branches(c.Commits); err != nil {
		return q, err
	}
	if c.Agent != "" {
		if q.Agent, err = readAgent(c.Agent, in); err != nil {
			return q, err
		}
	}
	return q, missing(q)
}

func gateNames() (names []string) {
	for _, gate := range runevents.Gates() {
		names = append(names, string(gate))
	}
	return names
}

// missing returns an error for what a gate requires and the call lacks.
func missing(q runevents.GateRequested) error {
	switch {
	case !slices.Contains(runevents.Gates(), q.Gate):
		return fmt.Errorf("unknown gate %q; there are %s", q.Gate, strings.Join(gateNames(), ", "))
	case q.Wave < 0:
		return fmt.Errorf("--wave %d: waves count from 1", q.Wave)
	case q.Gate == runevents.GateNextPhase && q.Phase == "":
		return errors.New("next_phase requires --phase NAME, the phase to start")
	case q.Gate == runevents.GateSpawn && q.Agent == nil:
		return errors.New("spawn requires --agent FILE, with the agent as the data of agent.spawned")
	case (q.Gate == runevents.GateLaunch || q.Gate == runevents.GateMerge || q.Gate == runevents.GateWorktrees) && q.Wave == 0:
		return fmt.Errorf("%s needs --wave N", q.Gate)
	}
	return nil
}

func branches(commits []string) ([]runevents.WaveBranch, error) {
	var out []runevents.WaveBranch
	for _, c := range commits {
		letter, count, ok := strings.Cut(c, "=")
		n, err := strconv.Atoi(count)
		if !ok || err != nil || n < 0 || letter == "" {
			return nil, fmt.Errorf("--commits %s: must be LETTER=N, such as A=2", c)
		}
		out = append(out, runevents.WaveBranch{Letter: letter, CommitCount: n})
	}
	return out, nil
}

func readAgent(path string, in io.Reader) (*runevents.AgentSpawned, error) {
	if path != "-" {
		path = "@" + path
	}
	text, err := readData(path, in)
	if err != nil {
		return nil, fmt.Errorf("--agent: %w", err)
	}
	d, err := runevent.Lookup(string(runevents.TypeAgentSpawned))
	if err != nil {
		return nil, err
	}
	data, err := runevent.Build(d, text, nil, runevents.Actor{})
	if err != nil {
		return nil, fmt.Errorf("--agent: %w", err)
	}
	agent, _ := data.(*runevents.AgentSpawned)
	return agent, nil
}

// print prints the answer: the decision and its reason on standard output, the warning of an allow on
// standard error.
func (c *gateRequestCommand) print(r *cli.Call, g runevents.GateDecided) error {
	if c.Output == "json" {
		return json.NewEncoder(r.Stdout).Encode(g)
	}
	out := r.Stdout
	if g.Decision == runevents.DecisionAllowWithWarning {
		fmt.Fprintf(r.Stdout, "%s: allow (%s)\n", g.Gate, terminal.Clean(g.Rule))
		out = r.Stderr
	}
	return printGate(out, c.OfRun, g)
}

// printGate prints all of an answer.
func printGate(out io.Writer, run string, g runevents.GateDecided) error {
	lines := []string{fmt.Sprintf("%s: %s (%s): %s", g.Gate, g.Decision, g.Rule, g.Why)}
	for _, e := range g.Evidence {
		lines = append(lines, "  evidence: "+reference(e))
	}
	if g.Decision == runevents.DecisionDeny || g.Decision == runevents.DecisionHold {
		lines = append(lines, "  who may decide: "+string(g.WhoDecides))
	}
	lines = append(lines, options(g.Options)...)
	if command := gateCommand(run, &g); command != "" {
		lines = append(lines, "  to open it: "+command)
	}
	for _, line := range lines {
		if _, err := fmt.Fprintln(out, terminal.Clean(line)); err != nil {
			return err
		}
	}
	return nil
}

// gateCommand returns the command with which a person opens a gate that was denied, "" if there is none.
func gateCommand(run string, g *runevents.GateDecided) string {
	switch {
	case g.Passes():
		return ""
	case g.Rule == "RW-33":
		return "scaffoldwatch resume " + run + " --why '…'"
	}
	return runlist.Opens(run, g)
}

func reference(e runevents.Reference) string {
	var parts []string
	if e.Path != "" {
		path := e.Path
		if e.Line > 0 {
			path += ":" + strconv.Itoa(e.Line)
		}
		parts = append(parts, path)
	}
	if e.What != "" {
		parts = append(parts, e.What)
	}
	if e.Event != "" {
		parts = append(parts, "event "+e.Event)
	}
	return strings.Join(parts, ", ")
}

// options returns a person's options, each with its pros and cons.
func options(list []runevents.Option) []string {
	var lines []string
	for _, o := range list {
		lines = append(lines, fmt.Sprintf("  %s  %s", o.ID, o.Text))
		for _, more := range []struct{ name, text string }{{"evidence", o.Evidence}, {"effect", o.Effect}, {"trade-off", o.Tradeoff}} {
			if more.text != "" {
				lines = append(lines, fmt.Sprintf("     %s: %s", more.name, more.text))
			}
		}
	}
	return lines
}
