package notices

import (
	"fmt"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/deployment"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/reporter/notifier"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/pipeline"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/workhours"
)

// Hours reports whether work may begin (PL-51).
type Hours struct {
	For   string    `arg:"" optional:"" enum:"dispatch,notifications" default:"dispatch" help:"dispatch (may work start?) or notifications (are people notified?)."`
	At    time.Time `help:"Time to ask about (RFC 3339); defaults to now." placeholder:"TIME"`
	Rules string    `help:"Rules file (YAML); defaults to rules of the configuration." type:"path" placeholder:"FILE"`
	File  string    `help:"Notification settings file; defaults to notify.file of the configuration." type:"path" placeholder:"FILE"`
}

// Help gives examples.
func (Hours) Help() string {
	return `Prints whether it is working time, and if not, when working time begins. Exits with code 0
during working hours and 3 outside them, so that a script can delay work.

Examples:
  scaffoldwatch hours
  scaffoldwatch hours dispatch --at 2026-11-28T03:00:00Z
  scaffoldwatch hours notifications --file notify.yaml`
}

// Run prints the answer.
func (c *Hours) Run(r *cli.Call) error {
	settings, err := cli.Connection{}.Settings(r)
	if err != nil {
		return err
	}
	if c.Rules == "" {
		c.Rules = settings.Rules
	}
	if c.File == "" {
		c.File = settings.Notify.File
	}
	hours, window, err := c.hours()
	if err != nil {
		return cli.Usage(err)
	}
	if c.At.IsZero() {
		c.At = time.Now()
	}
	if window.Open(c.At) {
		_, err := fmt.Fprintf(r.Stdout, "open: %s\n", hours)
		return err
	}
	if _, err := fmt.Fprintf(r.Stdout, "closed until %s: %s\n", window.Next(c.At).UTC().Format(time.RFC3339), hours); err != nil {
		return err
	}
	return fmt.Errorf("%w: outside the working hours for %s", cli.ErrFailOn, c.For)
}

func (c *Hours) hours() (workhours.Hours, workhours.Window, error) {
	if c.For == "notifications" {
		if c.File == "" {
			return workhours.Hours{}, workhours.Window{}, nil // none are configured
		}
		file, _, err := notifier.Settings(c.File, c.Rules)
		if err != nil {
			return workhours.Hours{}, workhours.Window{}, err
		}
		window, err := file.Hours.Window()
		return file.Hours, window, err
	}
	set, err := deployment.LoadRules(c.Rules)
	if err != nil {
		return workhours.Hours{}, workhours.Window{}, err
	}
	return pipeline.DispatchHours(set)
}
