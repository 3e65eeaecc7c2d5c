package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/publish/runevent"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Event reports an event of a run.
type Event struct {
	cli.Operated
	Type    string        `arg:"" optional:"" help:"Event type, such as agent.completed; --list prints all types."`
	Fields  []string      `arg:"" optional:"" name:"key=value" help:"Fields of the event's data: lists with commas, nested fields with dots, such as budget.limit=5."`
	OfRun   string        `name:"run" help:"Run id." placeholder:"ID"`
	Data    string        `help:"Data as JSON from a file (@FILE) or standard input (-). Fields in arguments take precedence." placeholder:"JSON"`
	Actor   string        `help:"Who reports: KIND or KIND:ID; defaults to orchestrator, or to the kind that the type requires." placeholder:"KIND[:ID]"`
	ID      string        `help:"Event id; sending the same id again has no effect." placeholder:"ID"`
	Wait    bool          `short:"w" help:"Wait for the decision and print it."`
	FailOn  []string      `help:"Wait for the decision, and exit with code 3 on halt, pause, drain, gate (one refused) or violation." enum:"halt,pause,drain,gate,violation" placeholder:"WHAT,…"`
	Timeout time.Duration `help:"How long to wait for the decision." default:"10s"`
	Output  string        `short:"o" help:"Output: text or json." enum:"text,json" default:"text"`
	List    bool          `help:"List the event types, or the fields of TYPE."`
}

// Help gives examples.
func (Event) Help() string {
	return `Reports from a script what happens in a run. With --wait, it prints the decision. With
--fail-on, it exits with code 3 when the loop must stop. Exit code 1 means that the
decision is not known: the event could not be sent, or there was no answer in time.

Examples:
  scaffoldwatch run-event run.started --run nightly kind=build goal='green tests' budget.limit=5 budget.unit=usd
  scaffoldwatch run-event agent.completed --run nightly agent_id=maker outcome=failure --fail-on halt,pause
  scaffoldwatch run-event cycle.completed --run nightly cycle=2 --data @findings.json --wait
  scaffoldwatch run-event agent.completed --list`
}

// Run publishes the event and, with --wait or --fail-on, exits according to the verdict.
func (c *Event) Run(r *cli.Call) error {
	if c.List {
		return c.list(r)
	}
	e, err := c.event(r.Input())
	if err != nil {
		return cli.Usage(err)
	}
	as, err := c.speaker(r, e.Type)
	if err != nil {
		return err
	}
	run, done, err := as.OpenRun(r, c.OfRun, c.Timeout)
	if err != nil {
		return err
	}
	defer done()
	if !c.Wait && len(c.FailOn) == 0 {
		return c.tell(r, run, e)
	}
	v, err := run.DoEvent(r, e)
	if err != nil {
		return err
	}
	if err := printVerdict(r, c.OfRun, v, c.Output); err != nil {
		return err
	}
	return failOn(v, c.OfRun, c.FailOn)
}

// speaker returns the connection of the role that the event's type needs (EV-10).
func (c *Event) speaker(r *cli.Call, typ events.Type) (cli.Connection, error) {
	switch d, _ := events.Lookup(typ); d.Role {
	case events.RoleOperator:
		return c.AsOperator(r, "send "+string(typ)+" of "+c.OfRun)
	case events.RoleInfra:
		return c.AsInfra(), nil
	}
	return c.Connection, nil
}

func (c *Event) tell(r *cli.Call, run *client.Run, e events.Event) error {
	ctx, cancel := context.WithTimeout(r, c.Timeout)
	defer cancel()
	receipt, err := run.TellEvent(ctx, e)
	switch {
	case err != nil && r.Err() == nil && ctx.Err() != nil:
		return fmt.Errorf("the event was not stored within --timeout %s (`scaffoldwatch doctor` checks the system): %w", c.Timeout, err)
	case err != nil:
		return err
	}
	if c.Output == "json" {
		return json.NewEncoder(r.Stdout).Encode(map[string]any{"event": receipt.ID, "type": e.Type})
	}
	_, err = fmt.Fprintf(r.Stdout, "sent %s %s\n", e.Type, receipt.ID)
	return err
}

// event builds the event from arguments and flags.
func (c *Event) event(in io.Reader) (events.Event, error) {
	switch {
	case c.Type == "":
		return events.Event{}, errors.New("name the type of the event; run-event --list shows all")
	case c.OfRun == "":
		return events.Event{}, errors.New("name the run: --run ID")
	case !events.ValidID(c.OfRun):
		return events.Event{}, fmt.Errorf("--run %q is not a run id; ids are 1 to 128 of A-Z a-z 0-9 _ -", c.OfRun)
	}
	d, err := runevent.Lookup(c.Type)
	if err != nil {
		return events.Event{}, err
	}
	var actor runevents.Actor
	if c.Actor != "" {
		if actor, err = runevent.ParseActor(c.Actor); err != nil {
			return events.Event{}, fmt.Errorf("--actor: %w", err)
		}
	}
	text, err := readData(c.Data, in)
	if err != nil {
		return events.Event{}, err
	}
	data, err := runevent.Build(d, text, c.Fields, actor)
	return events.Event{ID: c.ID, Type: d.Type, Data: data}, err
}

// maxData is more than an event may hold.
const maxData = 16 << 20

// readData returns JSON as given, the content of @FILE, or standard input for -.
func readData(value string, in io.Reader) ([]byte, error) {
	name, isFile := strings.CutPrefix(value, "@")
	switch {
	case value == "-":
	case isFile:
		file, err := os.Open(name)
		if err != nil {
			return nil, fmt.Errorf("--data: %w", err)
		}
		defer file.Close()
		in = file
	default:
		return []byte(value), nil
	}
	data, err := io.ReadAll(io.LimitReader(in, maxData))
	if err != nil {
		return nil, fmt.Errorf("--data %s: %w", value, err)
	}
	return data, nil
}

// list prints the types with their descriptions, or the fields of one type.
func (c *Event) list(r *cli.Call) error {
	if c.Type == "" {
		for _, d := range events.All() {
			if d.RunEvent {
				fmt.Fprintf(r.Stdout, "%-26s %-10s %s\n", d.Type, d.Role, d.Doc)
			}
		}
		return nil
	}
	d, err := runevent.Lookup(c.Type)
	if err != nil {
		return cli.Usage(err)
	}
	fields, err := runevent.Fields(d.Type)
	if err != nil {
		return err
	}
	if c.Output == "json" {
		return json.NewEncoder(r.Stdout).Encode(fields)
	}
	fmt.Fprintf(r.Stdout, "%s: %s\n", d.Type, d.Doc)
	width := 0
	for _, f := range fields {
		width = max(width, len(f.Name))
	}
	for _, f := range fields {
		fmt.Fprintf(r.Stdout, "  %-*s  %s\n", width, f.Name, describeField(f))
	}
	return nil
}

func describeField(f runevent.Field) string {
	parts := []string{string(f.Kind)}
	if len(f.Allowed) > 0 {
		parts[0] = strings.Join(f.Allowed, "|")
	}
	if f.Required {
		parts = append(parts, "needed")
	}
	if f.Doc != "" {
		parts = append(parts, f.Doc)
	}
	return strings.Join(parts, "; ")
}

// failOn returns an error that names the condition of --fail-on that holds, nil if none does.
func failOn(v client.Verdict, run string, conditions []string) error {
	holds := map[string]bool{
		"halt": v.State == runevents.ControlHalted, "pause": v.State == runevents.ControlPaused, "drain": v.State == runevents.ControlDraining,
		"gate": v.Refused() != nil, "violation": len(v.Violations()) > 0,
	}
	told := map[string]string{
		"halt": "run " + run + " is halted", "pause": "run " + run + " is paused", "drain": "run " + run + " is draining",
		"gate": "a gate was denied", "violation": "a rule was broken",
	}
	i := slices.IndexFunc(conditions, func(c string) bool { return holds[c] })
	if i < 0 {
		return nil
	}
	return fmt.Errorf("%w: %s", cli.ErrFailOn, told[conditions[i]])
}
