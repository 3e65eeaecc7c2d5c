package audit

import (
	"errors"
	"fmt"
	"os"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/bundle"
	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/replay"
	"github.com/scaffoldwatch/scaffoldwatch/internal/deployment"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli/heap"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Replay derives recorded events again and compares them with the record.
type Replay struct {
	cli.Connection
	Stage  string `help:"Stage to replay: ingest, evaluator, dispatcher or all." enum:"ingest,evaluator,dispatcher,all" default:"all"`
	Group  string `arg:"" optional:"" help:"Run, or session without a run; default: all of them. Or a bundle."`
	Rules  string `help:"Rules file (YAML), default: that of the configuration." type:"path" placeholder:"FILE"`
	Under  string `help:"Use the rules that the services stored under this configuration hash, instead of --rules." placeholder:"HASH"`
	Output string `short:"o" help:"Output: text or json." enum:"text,json" default:"text"`
}

// Help explains what is compared with what.
func (Replay) Help() string {
	return `Folds the recorded input of each stage again, with this build and these rules, and
compares every event with the recorded one, byte for byte. Of each run or session it shows
the first difference: the input that caused it, the field, and both events. It changes
nothing and can run alongside a live system.

What was recorded under other rules or another configuration is not compared; one line says
so and names the settings that changed. --under HASH derives it with what applied then: the
services store in the bucket RULES what each configuration hash names. A bundle (scaffoldwatch export) is replayed without a system, under the rules in it
unless --rules names others. ingest can be replayed as long as INPUT holds what it read (streams.input_max_age).

Exit codes: 0 what can be replayed is the same, 1 something differs, was recorded under
other rules, or is of a stage named with --stage and can no longer be replayed, 2 usage.

Examples:
  scaffoldwatch replay
  scaffoldwatch replay --stage dispatcher nightly-42
  scaffoldwatch replay --under 4f1d22a80c7e
  scaffoldwatch replay nightly.bundle
  scaffoldwatch replay --output json | jq '.stages[].differences[]?'`
}

// errDiffers is returned if a replay derives something else, errNotCompared if nothing differs but some of
// it could not be compared.
var (
	errDiffers     = errors.New("the replay differs from the record")
	errNotCompared = errors.New("no differences were found, but some of it was recorded under other rules or cannot be replayed")
)

// Run replays and prints the result.
func (c *Replay) Run(r *cli.Call) error {
	heap.Raise(replay.Heap)
	if bundle.Is(c.Group) {
		return c.bundle(r)
	}
	options, err := c.options(r)
	if err != nil {
		return err
	}
	broker, _, err := c.AsAdmin().Open(r)
	if err != nil {
		return err
	}
	from := record.Running(broker)
	if c.Under != "" {
		if options.Rules, err = c.recordedRules(r, from, options); err != nil {
			return err
		}
	}
	report, err := replay.Running(r, from, options, replay.Options{
		Stage: c.Stage, Group: c.Group,
		Progress: func(stage string, of uint64) replay.Bar {
			return terminal.NewProgress(r.Stderr, stage, int64(of), false)
		},
	})
	if err != nil {
		return err
	}
	if err := c.finish(r, report); err != nil || c.Group == "" || report.Found() {
		return err
	}
	if _, err := os.Stat(c.Group); err == nil {
		return fmt.Errorf("%s is not a bundle (scaffoldwatch export), and %w", c.Group, errNothing)
	}
	return fmt.Errorf("%w; scaffoldwatch sessions and scaffoldwatch runs list what is", errNothing)
}

// errNothing is returned if no stage has anything to replay for the given names.
var errNothing = errors.New("no run or session of this name is recorded")

// bundle replays a bundle under its own rules, or the given ones (AU-11).
func (c *Replay) bundle(r *cli.Call) error {
	if c.Stage == "ingest" {
		return cli.Usage(errors.New("a bundle has no raw input: --stage ingest requires a running system"))
	}
	if c.Under != "" {
		return cli.Usage(errors.New("--under requires a running system: a bundle is replayed under its own rules"))
	}
	b, err := bundle.OpenWhole(c.Group)
	if err != nil {
		return err
	}
	defer b.Close()
	var given *rules.Set
	if c.Rules != "" {
		if given, err = deployment.LoadRules(c.Rules); err != nil {
			return cli.Usage(err)
		}
	}
	report, warning, err := replay.Bundle(r, b, given, replay.Options{Stage: c.Stage})
	if errors.Is(err, replay.ErrRejected) {
		return cli.Usage(err)
	}
	if warning != "" {
		fmt.Fprintln(r.Stderr, terminal.Clean(warning))
	}
	if err != nil {
		return err
	}
	return c.finish(r, report)
}

// finish prints the report, and returns an error unless everything is the same.
func (c *Replay) finish(r *cli.Call, report replay.Report) error {
	var err error
	if c.Output == "json" {
		err = cli.Readable(r.Stdout, report)
	} else {
		err = report.WriteText(r.Prose())
	}
	switch {
	case err != nil:
		return err
	case report.Same:
		return nil
	case report.Differs():
		return errDiffers
	}
	return errNotCompared
}

// options returns the options from which the services build their machines.
func (c *Replay) options(r *cli.Call) (o deployment.Options, err error) {
	settings, err := c.Settings(r)
	if err != nil {
		return o, err
	}
	return deployed(settings, c.Rules)
}

// recordedRules returns the rules that the services stored under the hash of --under.
func (c *Replay) recordedRules(r *cli.Call, from record.Source, o deployment.Options) (*rules.Set, error) {
	if c.Rules != "" {
		return nil, cli.Usage(errors.New("--rules and --under are mutually exclusive"))
	}
	if !record.IsHash(c.Under) {
		return nil, cli.Usage(fmt.Errorf("--under %s: a configuration hash has 12 hexadecimal digits", c.Under))
	}
	was, err := record.Rules(r, from, c.Under)
	if err != nil {
		return nil, fmt.Errorf("replay under %s: %w", c.Under, err)
	}
	if o.Rules = was.Set(); o.Identity().ConfigHash != c.Under {
		return nil, fmt.Errorf("replay under %s: its fingerprint key differs from security.fingerprint_key; pass the configuration of that time with --config", c.Under)
	}
	return was.Set(), nil
}
