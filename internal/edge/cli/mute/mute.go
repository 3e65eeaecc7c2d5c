// Package mute holds the commands about mutes.
package mute

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/operator"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Mute mutes a detector, a subject or a session.
type Mute struct {
	cli.Operated
	cli.Author
	Detector string `help:"Detector to mute, such as C1." placeholder:"ID"`
	Subject  string `help:"Subject to mute: a path, a symbol or a question." placeholder:"TEXT"`
	Session  string `help:"In this session only." placeholder:"ID"`
	OfRun    string `name:"run" help:"In this run only, including sessions that start later." placeholder:"ID"`
	Turns    int    `help:"Number of turns, from now." placeholder:"N"`
	Until    string `help:"When the mute ends: 2h, 3d or 2026-01-31T12:00:00Z." placeholder:"TIME"`
	Why      string `help:"Reason, which is recorded." placeholder:"TEXT"`
	DryRun   bool   `help:"Show what would change without changing anything."`
}

// Help gives examples.
func (Mute) Help() string {
	return `Suppresses signals, both pending and future ones; reports list them with the reason.
Without --session or --run, the mute applies to all sessions that are open now. To mute
future sessions too, add it to the rules file (dispatch: mutes:). Without --turns or
--until, the mute lasts as long as its sessions.

A mute without a detector or subject silences the entire session, except for security
escalations (B1, B2).

Examples:
  scaffoldwatch mute --detector C1 --session csv-export --turns 10 --why 'large file, read in parts'
  scaffoldwatch mute --subject src/legacy/report.py --until 2h --why 'is being replaced'
  scaffoldwatch mute --session spike --until 1d --why 'throw-away' --dry-run`
}

// Run publishes the mute after saying what it changes.
func (c *Mute) Run(r *cli.Call) error {
	now := time.Now()
	details, err := c.details(now)
	if err != nil {
		return cli.Usage(err)
	}
	escalating, err := c.checkDetector(r)
	if err != nil {
		return cli.Usage(err)
	}
	model, closeModel, err := c.FreshModel(r, c.filters()...)
	if err != nil {
		return err
	}
	defer closeModel()
	sessions, err := c.sessions(r, model)
	if err != nil {
		return err
	}
	acts, err := c.acts(sessions, details, now)
	if err != nil {
		return cli.Usage(err)
	}
	if err := c.tell(r, model, sessions, details, escalating); err != nil {
		return err
	}
	if c.DryRun {
		_, err := fmt.Fprintln(r.Stdout, "  nothing was sent (--dry-run)")
		return err
	}
	return sendMutes(r, c.Operated, "mute", acts)
}

// sendMutes publishes mutes or their ends, and says where they are seen.
func sendMutes(r *cli.Call, c cli.Operated, act string, acts []events.Event) error {
	as, err := c.AsOperator(r, act)
	if err != nil {
		return err
	}
	_, nc, err := as.Open(r)
	if err != nil {
		return err
	}
	defer nc.Close()
	if err := operator.Publish(r, nc, acts...); err != nil {
		return err
	}
	_, err = fmt.Fprintln(r.Stdout, "  sent; `scaffoldwatch mutes list` shows it")
	return err
}

// filters are what must be read to know the sessions.
func (c *Mute) filters() []string {
	if c.Session != "" {
		return decisions.SessionFilters(c.Session)
	}
	return nil
}

// sessions are those that the mute silences; none is an error.
func (c *Mute) sessions(r *cli.Call, model *readmodel.Model) ([]readmodel.Session, error) {
	if c.Session != "" {
		s, ok, err := model.Session(r, c.Session)
		if err == nil && !ok {
			err = fmt.Errorf("%w %s; `scaffoldwatch sessions` lists them", decisions.ErrNoSession, c.Session)
		}
		return []readmodel.Session{s}, err
	}
	if c.OfRun != "" {
		list, err := model.GroupSessions(r, c.OfRun)
		if err == nil && len(list) == 0 {
			err = fmt.Errorf("nothing is known of run %s: no session of it was seen", c.OfRun)
		}
		return list, err
	}
	list, err := model.OpenSessions(r)
	if err == nil && len(list) == 0 {
		err = errors.New("no session is open: there is nothing to mute. For sessions to come, write it into the rules file (dispatch: mutes:)")
	}
	return list, err
}

// acts are what to publish: one act for the session, or one for each group.
func (c *Mute) acts(sessions []readmodel.Session, d runevents.MuteDetails, now time.Time) ([]events.Event, error) {
	var targets []operator.Target
	for _, s := range sessions {
		to := operator.Target{Session: c.Session, Group: s.Group}
		if !slices.Contains(targets, to) {
			targets = append(targets, to)
		}
	}
	acts := make([]events.Event, len(targets))
	for i, to := range targets {
		act, err := operator.Mute(to, d, c.Name(), c.Why, now)
		if err != nil {
			return nil, err
		}
		acts[i] = act
	}
	return acts, nil
}
