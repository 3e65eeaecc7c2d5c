package mute

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/publish/operator"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Unmute ends a mute.
type Unmute struct {
	cli.Operated
	cli.Author
	cli.Reason
	Detector string `help:"Muted detector, such as C1." placeholder:"ID"`
	Subject  string `help:"Muted subject." placeholder:"TEXT"`
	Session  string `help:"In this session only; the first letters of its id are enough." placeholder:"ID"`
	OfRun    string `name:"run" help:"In this run only; the first letters of its id are enough." placeholder:"ID"`
	DryRun   bool   `help:"Show what would change without changing anything."`
}

// Help gives examples.
func (Unmute) Help() string {
	return `Ends the mutes of exactly this detector and subject, wherever they are active. Future signals
are judged as usual; those already suppressed stay suppressed. Mutes in the rules file
(dispatch: mutes:) must be removed there.

Examples:
  scaffoldwatch unmute --detector C1 --session csv-export --why 'it reads too much after all'
  scaffoldwatch unmute --subject src/legacy/report.py --why 'it was replaced'
  scaffoldwatch unmute --session spike --why 'it goes live'`
}

// Run publishes the end of the mutes after printing which.
func (c *Unmute) Run(r *cli.Call) error {
	details, err := c.details()
	if err != nil {
		return cli.Usage(err)
	}
	if err := completed(r, c.Connection, &c.Session, &c.OfRun); err != nil {
		return err
	}
	model, closeModel, err := c.FreshModel(r)
	if err != nil {
		return err
	}
	defer closeModel()
	targets, err := c.targets(r, model, details)
	if err != nil {
		return err
	}
	object := muteObject(details.Scope, details.Detector, details.Subject)
	var acts []events.Event
	var where []string
	for _, to := range targets {
		act, err := operator.Unmute(to, details, c.Name(), c.Why, time.Now())
		if err != nil {
			return cli.Usage(err)
		}
		acts = append(acts, act)
		where = append(where, listedMute{Mute: readmodel.Mute{Session: to.Session, Group: to.Group}}.where(r.Theme))
	}
	fmt.Fprintf(r.Stdout, "unmute %s, by %s: %s\n  %s\n", object, c.Name(), terminal.Clean(c.Why), shown(where))
	if c.DryRun {
		_, err := fmt.Fprintln(r.Stdout, "  nothing was sent (--dry-run)")
		return err
	}
	return sendMutes(r, c.Operated, "end the mute", acts, details, true)
}

// details checks the flags and returns the object that they describe.
func (c *Unmute) details() (runevents.MuteDetails, error) {
	if err := c.Check("unmute …"); err != nil {
		return runevents.MuteDetails{}, err
	}
	if c.Detector == "" && c.Subject == "" && c.Session == "" && c.OfRun == "" {
		return runevents.MuteDetails{}, errors.New("name what is silenced: --detector, --subject, --session or --run; `scaffoldwatch mutes list` lists it")
	}
	mute := Mute{Detector: c.Detector, Subject: c.Subject, Session: c.Session, OfRun: c.OfRun, Why: c.Why}
	return mute.details(time.Now())
}

// targets returns where such a mute is in force; it fails if that is nowhere.
func (c *Unmute) targets(r *cli.Call, model *readmodel.Model, d runevents.MuteDetails) ([]operator.Target, error) {
	group := c.OfRun
	if c.Session != "" {
		s, ok, err := model.Session(r, c.Session)
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, fmt.Errorf("%w %s; `scaffoldwatch sessions` lists them", decisions.ErrNoSession, c.Session)
		}
		group = s.Group
	}
	set, err := model.Mutes(r)
	if err != nil {
		return nil, err
	}
	var targets []operator.Target
	for _, m := range set {
		if m.Scope != d.Scope || m.Detector != d.Detector || m.Subject != d.Subject || m.Over(time.Now()) {
			continue
		}
		to := operator.Target{Session: m.Session, Group: m.Group}
		if c.Session != "" && m.Session == "" {
			to.Session = c.Session
		}
		if there := (group == "" || m.Group == group) && (c.Session == "" || to.Session == c.Session); there && !slices.Contains(targets, to) {
			targets = append(targets, to)
		}
	}
	if len(targets) == 0 {
		return nil, errors.New("no such mute is in force; `scaffoldwatch mutes list` lists those that are, with those of the rules file")
	}
	return targets, nil
}
