// Package report holds the command that prints reports.
package report

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/bundle"
	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/deployment"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli/transcript"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/doc"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/fleetreport"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sarif"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sessionreport"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Report prints the report of a session, a run or all sessions.
type Report struct {
	cli.Connection
	ID        string `arg:"" optional:"" name:"id" help:"Session or run, by id or the first letters of it; or a bundle, whose own session or run it is."`
	Of        string `arg:"" optional:"" name:"of" help:"The session or run, if the bundle holds several."`
	AsRun     bool   `name:"run" help:"The id is that of a run, or of a session whose run is meant; or of a session without a run that was broken off." xor:"kind"`
	AsSession bool   `name:"session" help:"The id is that of a session." xor:"kind"`
	Output    string `short:"o" help:"Output: text, md, json, html or sarif. Default: text on a terminal, else md." enum:",text,md,json,html,sarif" default:""`
	Explain   bool   `help:"In text: include how each thing was decided, what was counted and what was watched."`
	Follow    bool   `short:"f" help:"Show the report again whenever it changes, until the session closes."`
	Fleet     bool   `help:"Report on all sessions instead of one."`
	Since     string `help:"With --fleet: first day (2026-01-31, today, yesterday), or 7d or 2w for the days up to today, or all (UTC)." placeholder:"7d"`
	Until     string `help:"With --fleet: last day." placeholder:"2026-01-31"`
	Rules     string `help:"Rules file (YAML) of the deployment; defaults to rules of the configuration." type:"path" placeholder:"FILE"`
}

// Help gives examples.
func (Report) Help() string {
	return `Prints the report of a session or run, finished or not, or of all of them. Titles and limits
come from the rules file that --rules or the configuration names, else from the built-in
rules. A note on standard error says if decisions were made under other rules. Where no system
runs, a session of this machine is read from its transcript.

Examples:
  scaffoldwatch report payments-webhook
  scaffoldwatch report payments-webhook --output html > report.html
  scaffoldwatch report payments-webhook --follow
  scaffoldwatch report payments-webhook --output json | jq .health
  scaffoldwatch report nightly --output html > nightly.html
  scaffoldwatch report nightly.bundle --output html > nightly.html
  scaffoldwatch report nightly --output json | jq '.breaks[].warranted'
  scaffoldwatch report --fleet --since 7d --output text
  scaffoldwatch report --fleet --since 2026-01-01 --until 2026-01-31 --output html > january.html`
}

// Run folds the decisions about a session or run into its report.
func (c *Report) Run(r *cli.Call) error {
	if c.Output == "" {
		if c.Output = "md"; r.Theme.Interactive {
			c.Output = "text"
		}
	}
	if c.Fleet {
		return c.fleet(r)
	}
	if err := c.check(); err != nil {
		return cli.Usage(err)
	}
	if bundle.Is(c.ID) {
		return c.bundle(r)
	}
	broker, _, err := c.Open(r)
	if nats.Absent(err) && !c.Follow && !c.AsRun {
		if file := transcript.Of(c.ID); file != "" {
			return c.ofTranscript(r, file)
		}
	}
	if err != nil {
		return err
	}
	named, err := decisions.Named(r, broker, c.ID)
	if err != nil {
		return err
	}
	if c.ID = named.ID; c.AsRun && named.RunID() != "" {
		c.ID = named.RunID()
	}
	if c.Follow {
		return c.follow(r, broker)
	}
	reading, err := c.reading(r)
	if err != nil {
		return err
	}
	subject, err := c.subject(r, broker, reading)
	if err != nil {
		return err
	}
	m, err := subject.read(r)
	if err != nil {
		return err
	}
	c.sayOtherRules(r, reading)
	return m.print(c, r)
}

// ofTranscript prints the report of a session on this machine, without a system: what it would have been told.
func (c *Report) ofTranscript(r *cli.Call, file string) error {
	scan := transcript.Scan{Paths: []string{file}, Rules: c.Rules}
	sessions, err := scan.Sessions(r)
	if err != nil {
		return err
	}
	if len(sessions) == 0 {
		return fmt.Errorf("%s: no session is in it", terminal.Clean(file))
	}
	fmt.Fprintf(r.Stderr, "no system runs; this is read from %s\n", terminal.Clean(file))
	return sessionReport{sessions[0], c.Explain}.print(c, r)
}

// check rejects flags that cannot be combined, before anything else is done.
func (c *Report) check() error {
	switch {
	case c.ID == "":
		return errors.New("name a session or run (scaffoldwatch sessions and runs list them), or --fleet for all of them")
	case c.Since != "" || c.Until != "":
		return errors.New("--since and --until require --fleet")
	case c.Follow && (c.Output == "html" || c.Output == "sarif"):
		return fmt.Errorf("--follow requires --output text, md or json: %s is a single document", c.Output)
	case c.Of != "" && !bundle.Is(c.ID):
		return fmt.Errorf("%s is not a bundle (scaffoldwatch export); only a bundle holds several sessions and runs", c.ID)
	case c.Follow && bundle.Is(c.ID):
		return errors.New("--follow requires a running system: a bundle does not change")
	case c.AsRun && c.Output == "sarif":
		return errors.New("sarif covers findings in files, which are in the reports of a run's sessions")
	}
	return nil
}

// sarif prints the findings as SARIF, with the rules as configured.
func (c *Report) sarif(r *cli.Call, m sessionreport.Model) error {
	set, _, err := c.rules(r)
	if err != nil {
		return err
	}
	options, err := cli.SARIFOptions(set)
	if err != nil {
		return cli.Usage(err)
	}
	return sarif.Render(r.Stdout, options, m)
}

// fleet prints the report on all sessions, from the read model if reports.database names its file, or else
// from DECISIONS.
func (c *Report) fleet(r *cli.Call) error {
	switch {
	case c.ID != "":
		return cli.Usage(errors.New("--fleet covers all sessions and takes no session"))
	case c.Follow:
		return cli.Usage(errors.New("--follow and --fleet are mutually exclusive"))
	case c.Output == "sarif":
		return cli.Usage(errors.New("--fleet requires --output text, md, json or html"))
	}
	period, err := fleetreport.ParsePeriod(c.Since, c.Until, time.Now())
	if err != nil {
		return cli.Usage(fmt.Errorf("--%w", err))
	}
	set, settings, err := c.rules(r)
	if err != nil {
		return err
	}
	reading, err := c.reading(r)
	if err != nil {
		return err
	}
	titles, err := decisions.DetectorTitles(set)
	if err != nil {
		return cli.Usage(err)
	}
	model, closeModel, err := c.ModelBy(r, settings.Reports, reading)
	if err != nil {
		return err
	}
	defer closeModel()
	m, err := model.Fleet(r, period, titles)
	if err != nil {
		return err
	}
	c.sayOtherRules(r, reading)
	width := 0 // piped output has no maximum width
	if r.Theme.Interactive {
		width = r.Theme.Width
	}
	return fleetreport.Report(m).Write(r.Stdout, c.Output, doc.Screen{Width: width, Style: cli.TextStyle{Theme: r.Theme}, Explain: c.Explain})
}

// rules returns the rules by which the report is read: --rules, else the configuration's, else the embedded
// ones.
func (c *Report) rules(r *cli.Call) (*rules.Set, config.Config, error) {
	settings, err := c.Settings(r)
	if err != nil {
		return nil, settings, err
	}
	set, err := deployment.LoadRules(cmp.Or(c.Rules, settings.Rules))
	if err != nil {
		return nil, settings, cli.Usage(err)
	}
	return set, settings, nil
}

func (c *Report) reading(r *cli.Call) (*decisions.Reading, error) {
	set, settings, err := c.rules(r)
	if err != nil {
		return nil, err
	}
	key, err := deployment.LoadKey(settings.Security.FingerprintKey)
	if err != nil {
		return nil, cli.Usage(err)
	}
	reading, err := decisions.NewReading(set, key)
	if err != nil {
		return nil, cli.Usage(err)
	}
	return reading, nil
}

// sayOtherRules warns on stderr if decisions were made under rules that are not known here; it is silent if
// the call or the configuration names a rules file.
func (c *Report) sayOtherRules(r *cli.Call, reading *decisions.Reading) {
	others := reading.Others()
	if len(others) == 0 || c.Rules != "" {
		return
	}
	if settings, err := c.Settings(r); err != nil || settings.Rules != "" {
		return
	}
	fmt.Fprintf(r.Stderr, "decided under other rules, or with another key of fingerprints, than are known here (%s); this report reads them by the embedded rules: name those of the deployment with --rules FILE or --config\n",
		strings.Join(others[:min(3, len(others))], ", "))
}
