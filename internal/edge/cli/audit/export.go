package audit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/atif"
	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/bundle"
	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/buildinfo"
	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/deployment"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/link"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/fleetreport"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Export writes a bundle.
type Export struct {
	cli.Connection
	Session string   `help:"The session, with the run that it belongs to." placeholder:"ID" xor:"what"`
	OfRun   string   `name:"run" help:"The run with its sessions." placeholder:"ID" xor:"what"`
	Since   string   `help:"All runs and sessions decided on since a day (2026-01-31), or 7d or 2w up to today (UTC)." placeholder:"7d" xor:"what"`
	Until   string   `help:"With --since: the last day." placeholder:"2026-01-31"`
	Out     string   `short:"o" help:"File to write, which must not exist." type:"path" placeholder:"FILE"`
	Key     string   `help:"Seed that signs the bundle; defaults to security.signing_seed." type:"path" placeholder:"FILE"`
	Format  string   `help:"What to write: bundle, or atif, a trajectory for other tools." enum:"bundle,atif" default:"bundle"`
	Anchor  []string `help:"Anchors to put into the bundle." placeholder:"FILE" type:"path" sep:"none"`
}

// Help explains what a bundle is for.
func (Export) Help() string {
	return `Writes one file with what was recorded of a session, a run or a span of days: the turns as
they were segmented (redacted), every event derived from them, and the signed checkpoints
that prove them. Its reader needs no access to the system:

  scaffoldwatch verify FILE      is every event what a stage committed
  scaffoldwatch replay FILE      does this build decide the same
  scaffoldwatch report FILE      the report of its session or run

The raw input is not in it, and neither are keys or seeds.

With --format atif it writes what a session said and did as a trajectory that other tools
read: secrets are replaced, of outputs the beginning and end are there, and it proves nothing.

Examples:
  scaffoldwatch export --session payments-webhook -o payments.bundle
  scaffoldwatch export --run nightly-42 -o nightly.bundle --key auditor.seed
  scaffoldwatch export --since 7d -o week.bundle --anchor monday.anchor
  scaffoldwatch export --session payments-webhook --format atif -o trajectory.json`
}

// Run writes the bundle.
func (c *Export) Run(r *cli.Call) error {
	if c.Format == "atif" {
		return c.trajectory(r)
	}
	selection, err := c.selection()
	if err != nil {
		return cli.Usage(err)
	}
	settings, err := c.Settings(r)
	if err != nil {
		return err
	}
	export, err := c.export(settings)
	if err != nil {
		return err
	}
	export.Selection = selection
	broker, _, err := c.AsAdmin().Open(r)
	if err != nil {
		return err
	}
	from := record.Running(broker)
	export.Applied, export.Manifest.Partitions = from.Applied, from.Partitions()
	out, err := newFile(c.Out, 0o600)
	if err != nil {
		return fmt.Errorf("write the bundle: %w", err)
	}
	bar := terminal.NewProgress(r.Stderr, "export", 0, false)
	export.Progress = func(uint64) { bar.Add(4096) }
	m, err := bundle.Write(r, out, from, export)
	if nothing := (*bundle.NothingError)(nil); errors.As(err, &nothing) {
		err = fmt.Errorf("%w%s", err, listed)
	}
	bar.Done()
	if err = errors.Join(err, out.Close()); err != nil {
		return errors.Join(err, os.Remove(c.Out))
	}
	return c.done(r, m, export.Signer != nil)
}

// selection returns the selection that the flags describe.
func (c *Export) selection() (bundle.Selection, error) {
	switch {
	case c.Out == "", c.Out == "-":
		return bundle.Selection{}, errors.New("name the file to write: --out FILE (a bundle is not written to standard output)")
	case c.Until != "" && c.Since == "":
		return bundle.Selection{}, errors.New("--until requires --since")
	case c.Session != "":
		return bundle.Selection{Session: c.Session}, nil
	case c.OfRun != "":
		return bundle.Selection{Run: c.OfRun}, nil
	case c.Since == "":
		return bundle.Selection{}, errors.New("name what to export: exactly one of --session ID, --run ID or --since 7d")
	}
	return days(c.Since, c.Until)
}

// days parses a period of days; the last day is included.
func days(since, until string) (s bundle.Selection, err error) {
	period, err := fleetreport.ParsePeriod(since, until, time.Now())
	if err != nil {
		return s, err
	}
	if s.Since, err = time.Parse(time.DateOnly, period.From); err != nil || period.To == "" {
		return s, err
	}
	s.Until, err = time.Parse(time.DateOnly, period.To)
	s.Until = s.Until.AddDate(0, 0, 1)
	return s, err
}

// export reads the options from the configuration and from files.
func (c *Export) export(settings config.Config) (bundle.Export, error) {
	var e bundle.Export
	set, err := deployment.LoadRules(settings.Rules)
	if err != nil {
		return e, cli.Usage(err)
	}
	if settings.Rules != "" {
		if e.Rules, err = os.ReadFile(settings.Rules); err != nil {
			return e, cli.Usage(fmt.Errorf("read the rules file: %w", err))
		}
	}
	known, err := link.Keys(settings.Security)
	if err != nil {
		return e, cli.Usage(err)
	}
	key, err := ownKey(settings, c.Key)
	if err == nil && key != nil {
		e.Signer, err = chain.Signer(key)
	}
	if err != nil {
		return e, err
	}
	e.Anchors = map[string][]byte{}
	for _, name := range c.Anchor {
		if e.Anchors[filepath.Base(name)], err = os.ReadFile(name); err != nil {
			return e, cli.Usage(fmt.Errorf("read the anchor: %w; name %s", err, anAnchor))
		}
	}
	e.Manifest = bundle.Manifest{
		Build: buildinfo.Version(), Rules: rules.Version, RulesHash: set.Hash(), IdleTimeout: settings.Session.IdleTimeout, Keys: known.Trusted,
	}
	return e, nil
}

func (c *Export) done(r *cli.Call, m *bundle.Manifest, isSigned bool) error {
	n := 0
	for _, f := range m.Files {
		n += f.Events
	}
	signed := "not signed: name a seed with --key FILE to prove that nothing was left out"
	if isSigned {
		signed = "signed"
	}
	_, err := fmt.Fprintf(r.Prose(), "%s: %s of %s, %s\n", c.Out, text.Count(n, "event"), text.Count(len(m.Groups), "session or run", "sessions and runs"), signed)
	return err
}

// trajectory writes a session as other tools read it (IN-20).
func (c *Export) trajectory(r *cli.Call) error {
	switch {
	case c.Session == "":
		return cli.Usage(errors.New("--format atif writes one session: name it with --session ID"))
	case !events.ValidID(c.Session):
		return cli.Usage(fmt.Errorf("%q is not a session id; ids are 1 to 128 of A-Z a-z 0-9 _ -", c.Session))
	case c.Out == "":
		return cli.Usage(errors.New("name the file to write: --out FILE, or - for standard output"))
	case c.Key != "" || len(c.Anchor) > 0:
		return cli.Usage(errors.New("--key and --anchor go with a bundle: a trajectory proves nothing"))
	}
	broker, _, err := c.AsAdmin().Open(r)
	if err != nil {
		return err
	}
	said, err := saidIn(r, record.Running(broker), c.Session)
	if err != nil {
		return err
	}
	if len(said) == 0 {
		return fmt.Errorf("nothing is recorded for --session %s%s", c.Session, listed)
	}
	if c.Out == "-" {
		return atif.Write(r.Stdout, c.Session, said)
	}
	return c.trajectoryFile(r, said)
}

func (c *Export) trajectoryFile(r *cli.Call, said []events.Event) error {
	out, err := newFile(c.Out, 0o600)
	if err != nil {
		return fmt.Errorf("write the trajectory: %w", err)
	}
	if err := errors.Join(atif.Write(out, c.Session, said), out.Close()); err != nil {
		return errors.Join(err, os.Remove(c.Out))
	}
	_, err = io.WriteString(r.Prose(), c.Out+": written; `scaffoldwatch scan` reads it too\n")
	return err
}

// saidIn returns the segmented turns of a session and of its group, in which its
// subagents are.
func saidIn(ctx context.Context, from record.Source, session string) (said []events.Event, err error) {
	var groups []string
	turns := record.Selection{Stream: events.StreamSegments, Type: sessionevents.TypeTurnSegmented, Session: session}
	err = from.Events(ctx, turns, func(e record.Entry) error {
		if group := e.Group(); !slices.Contains(groups, group) {
			groups = append(groups, group)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the turns of session %s: %w", session, err)
	}
	for _, group := range groups {
		turns.Session, turns.Run = "", group
		err := from.Events(ctx, turns, func(e record.Entry) error {
			said = append(said, e.Event)
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("read the turns of the group %s: %w", group, err)
		}
	}
	return said, nil
}
