// Package mute holds the commands about mutes.
package mute

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/publish/operator"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// Mute mutes a detector, a subject or a session.
type Mute struct {
	cli.Operated
	cli.Author
	Detector string `help:"Detector to mute, such as C1." placeholder:"ID"`
	Subject  string `help:"Subject to mute: a path, a symbol or a question." placeholder:"TEXT"`
	Session  string `help:"In this session only; the first letters of its id are enough." placeholder:"ID"`
	OfRun    string `name:"run" help:"In this run only, including sessions that start later; the first letters of its id are enough." placeholder:"ID"`
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

// Run publishes the mute after printing what it changes.
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
	if err := completed(r, c.Connection, &c.Session, &c.OfRun); err != nil {
		return err
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
	return sendMutes(r, c.Operated, "mute", acts, details, false)
}

// sendMutes publishes mutes or their ends, waits until they are decided, and reads back what is in force.
func sendMutes(r *cli.Call, c cli.Operated, act string, acts []events.Event, d runevents.MuteDetails, ends bool) error {
	as, err := c.AsOperator(r, act)
	if err != nil {
		return err
	}
	broker, nc, err := as.Open(r)
	if err != nil {
		return err
	}
	if err := operator.Do(r, broker, nc, acts...); err != nil {
		return fmt.Errorf("%s: %w", act, err)
	}
	model, err := decisions.ReadModel(r, decisions.ReadAfresh, broker, "decisions."+string(runevents.TypeOperatorAct)+".>")
	if err != nil {
		return err
	}
	defer model.Close()
	set, err := model.Mutes(r)
	if err != nil {
		return err
	}
	for _, e := range acts {
		if inForce(set, e, d) == ends {
			return fmt.Errorf("%s: it was sent and decided, and did not take effect for %s; `scaffoldwatch mutes list` shows what is in force", act, e.Subject)
		}
	}
	text := "  in force; `scaffoldwatch mutes list` shows it"
	if ends {
		text = "  no longer in force"
	}
	_, err = fmt.Fprintln(r.Stdout, text)
	return err
}

// inForce reports whether a mute of an object is in force where an act applies.
func inForce(set []readmodel.Mute, e events.Event, d runevents.MuteDetails) bool {
	act, _ := e.Data.(*runevents.OperatorAct)
	return slices.ContainsFunc(set, func(m readmodel.Mute) bool {
		return m.Scope == d.Scope && m.Detector == d.Detector && m.Subject == d.Subject &&
			m.Group == e.Group() && m.Session == act.Session && !m.Over(time.Now())
	})
}

// completed completes the ids of a session and a run. An id of the other kind is an error that names its flag.
func completed(r *cli.Call, c cli.Connection, session, run *string) error {
	if *session == "" && *run == "" {
		return nil
	}
	broker, _, err := c.Open(r)
	if err != nil {
		return err
	}
	p, err := decisions.FindPlace(r, broker, *session+*run)
	switch {
	case err != nil:
		return err
	case *session != "" && !p.IsSession:
		return cli.Usage(fmt.Errorf("%s is a run: name it with --run", p.ID))
	case *run != "" && !p.Run:
		return cli.Usage(fmt.Errorf("%s is a session: name it with --session", p.ID))
	case *session != "":
		*session = p.ID
	default:
		*run = p.ID
	}
	return nil
}

// filters returns the filters for the events from which the sessions are known.
func (c *Mute) filters() []string {
	if c.Session != "" {
		return subjects.DecidedAboutSession(c.Session)
	}
	return nil
}

// sessions returns the sessions that the mute silences; it fails if there are none.
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

// acts returns the events to publish: one for the session, or one for each group.
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
