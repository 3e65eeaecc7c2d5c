// Package interrupt holds the commands that answer interrupts and escalations.
package interrupt

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/deployment"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli/mute"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/publish/operator"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/embedded"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/budget"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/naming"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// Ack acknowledges an interrupt or escalation.
type Ack struct {
	cli.Operated
	cli.Author
	Interrupt string `arg:"" optional:"" help:"Number in the list, or interrupt or escalation id, or its first letters; or the run or session in which only one waits. Without one, list what is unanswered."`
	Why       string `help:"A remark to record." placeholder:"TEXT"`
	Session   string `help:"List only those of this session or run; the first letters of its id are enough." placeholder:"ID"`
}

// Help gives examples.
func (Ack) Help() string {
	return `Records that a person saw an interrupt or an escalation of a run. An acknowledged
escalation is not raised again; nothing else changes. Without an id, the command lists
what is unanswered.

Examples:
  scaffoldwatch ack
  scaffoldwatch ack --session payments-webhook
  scaffoldwatch ack 6k3tq2 --why 'looking into it'`
}

// Run acknowledges an interrupt, or lists those that are open.
func (c *Ack) Run(r *cli.Call) error {
	return answer{Operated: c.Operated, act: runevents.ActAck, interrupt: c.Interrupt, session: c.Session, by: c.Name(), why: c.Why}.run(r)
}

// Dismiss marks an interrupt as a false positive.
type Dismiss struct {
	cli.Operated
	cli.Author
	Interrupt string `arg:"" optional:"" help:"Number in the list, or interrupt id, or its first letters; or the run or session in which only one waits. Without one, list the latest ten."`
	Why       string `help:"Why it was wrong (required)." placeholder:"TEXT"`
	NeverHere bool   `help:"Also mute this detector about this subject: now, and in the rules file for sessions to come."`
	Until     string `help:"When the mute of --never-here ends: 30d or 2026-01-31T12:00:00Z." default:"90d" placeholder:"TIME"`
	Session   string `help:"List only those of this session or run; the first letters of its id are enough." placeholder:"ID"`
}

// Help gives examples.
func (Dismiss) Help() string {
	return `Marks an interrupt as a false positive. The session's budget gets back the unit that the
interrupt cost, once, and the detector's dismiss rate goes up. Every message to an agent or
person ends with its detector and the first letters of its id.

With --never-here the detector is silent about the same subject in this workspace: in this
session at once, in others by a mute in the rules file when the system is started again. If
none is configured, that is scaffoldwatch/rules.yaml in your configuration directory, which
up, scan and done read.

Examples:
  scaffoldwatch dismiss
  scaffoldwatch dismiss 3 --why 'a sample key of the documentation'
  scaffoldwatch dismiss 6k3tq2 --never-here --why 'fixtures hold fake keys'`
}

// Run dismisses an interrupt, or lists those that are open.
func (c *Dismiss) Run(r *cli.Call) error {
	if c.Interrupt != "" && c.Why == "" {
		return cli.Usage(fmt.Errorf("give a reason why it was wrong: dismiss %s --why '…'", c.Interrupt))
	}
	until, err := mute.UntilTime(c.Until, time.Now())
	if err != nil {
		return cli.Usage(err)
	}
	return answer{
		Operated: c.Operated, act: runevents.ActDismiss, interrupt: c.Interrupt, session: c.Session, by: c.Name(), why: c.Why,
		never: c.NeverHere, until: until,
	}.run(r)
}

// answer holds what acknowledging and dismissing share.
type answer struct {
	cli.Operated
	act                         runevents.Act
	interrupt, session, by, why string
	in                          decisions.Place // session or run to list
	never                       bool            // also mute interrupts like it, until a time
	until                       time.Time
}

func (a answer) run(r *cli.Call) (err error) {
	if a.interrupt, err = numbered(a.interrupt); err != nil {
		return cli.Usage(err)
	}
	broker, _, err := a.Open(r)
	if err != nil {
		return err
	}
	if a.session != "" {
		if a.in, err = decisions.FindPlace(r, broker, a.session); err != nil {
			return err
		}
	}
	if a.interrupt == "" {
		return a.list(r, broker)
	}
	to, err := decisions.FindInterrupt(r, broker, a.interrupt)
	if errors.Is(err, decisions.ErrNoInterrupt) {
		return a.other(r, broker, err)
	}
	if err != nil {
		return err
	}
	return a.answer(r, broker, to)
}

// answer answers one interrupt and reads back that it is answered.
func (a answer) answer(r *cli.Call, broker *nats.Broker, to readmodel.Interrupt) error {
	state := map[runevents.Act]sessionevents.DeliveryState{runevents.ActAck: sessionevents.DeliveryAcked, runevents.ActDismiss: sessionevents.DeliveryDismissed}[a.act]
	answered := func(f readmodel.Fact) bool { return f.State == string(state) }
	if i := slices.IndexFunc(to.Facts, answered); i >= 0 {
		_, err := fmt.Fprintf(r.Stdout, "%s was %s by %s already; nothing is changed\n", shortID(to.ID), state, terminal.Clean(to.Facts[i].By))
		return err
	}
	acts := []events.Event{operator.Answer(a.act, to, a.by, a.why)}
	var silence never
	if a.never {
		var err error
		if silence, err = a.neverHere(r, broker, to); err != nil {
			return err
		}
		mute, err := silence.act(to, a.by, a.why)
		if err != nil {
			return err
		}
		acts = append(acts, mute)
	}
	if err := a.publish(r, acts...); err != nil {
		return err
	}
	now, err := decisions.FindInterrupt(r, broker, to.ID)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(now.Facts, answered) {
		return fmt.Errorf("%s %s: it was sent and decided, and %s is not %s", a.act, to.ID, to.ID, state)
	}
	if err := a.tell(r, to, state); err != nil || !a.never {
		return err
	}
	return silence.keep(r, a.by, a.why)
}

// publish publishes the answer as the operator and waits until it is decided.
func (a answer) publish(r *cli.Call, acts ...events.Event) error {
	as, err := a.AsOperator(r, string(a.act)+" "+shortID(a.interrupt))
	if err != nil {
		return err
	}
	broker, nc, err := as.Open(r)
	if err != nil {
		return err
	}
	if err := operator.Do(r, broker, nc, acts...); err != nil {
		return fmt.Errorf("%s %s: %w", a.act, a.interrupt, err)
	}
	return nil
}

// tell prints what was done and its effect.
func (a answer) tell(r *cli.Call, to readmodel.Interrupt, state sessionevents.DeliveryState) error {
	fmt.Fprintf(r.Stdout, "%s by %s: %s of turn %d in %s\n%s", state, a.by, to.Detector, to.Turn, naming.Brief(to.Session), r.Below(terminal.Clean(to.Message)))
	if state != sessionevents.DeliveryDismissed {
		return nil
	}
	budget := "it took no unit of the budget, so none comes back"
	refunded := slices.ContainsFunc(to.Facts, func(f readmodel.Fact) bool { return f.State == string(sessionevents.DeliveryUnsupported) })
	switch {
	case to.Charged && refunded:
		budget = "its unit of the budget came back before"
	case to.Charged:
		budget = "its unit of the budget comes back"
	}
	_, err := fmt.Fprintf(r.Stdout, "  it counts as a false positive of %s; %s\n", to.Detector, budget)
	return err
}

// never silences a detector about the subject of an interrupt: immediately in its session, and through the
// operator's rules in later ones (CO-7).
type never struct {
	detector, subject string
	workspace         string // where the rules' mute applies, "" for everywhere
	path              string // the rules file
	until             time.Time
}

// neverHere determines what to silence, before anything is sent.
func (a answer) neverHere(r *cli.Call, broker *nats.Broker, to readmodel.Interrupt) (never, error) {
	settings, err := a.Settings(r)
	if err != nil {
		return never{}, err
	}
	model, err := decisions.ReadModel(r, decisions.ReadAfresh, broker, subjects.DecidedAboutSession(to.Session)...)
	if err != nil {
		return never{}, err
	}
	defer model.Close()
	subject, err := model.SubjectOf(r, to)
	if err != nil {
		return never{}, err
	}
	if subject == "" {
		return never{}, cli.Usage(fmt.Errorf("--never-here: what %s is about is not known any more; `scaffoldwatch mute --detector %s` silences the whole detector", to.ID, to.Detector))
	}
	path := settings.Rules
	if path == "" && cli.Local(settings.NATS.URL) && broker.Conn().ConnectedServerName() == embedded.Name {
		path = deployment.OwnRulesPath() // `up` reads it
	}
	if path == "" {
		return never{}, cli.Usage(errors.New("--never-here: name the rules file that the services read (rules: in the configuration)"))
	}
	session, _, err := model.Session(r, to.Session)
	if err != nil {
		return never{}, err
	}
	return never{detector: to.Detector, subject: subject, workspace: session.Workspace, path: path, until: a.until}, nil
}

// act returns the mute for the current session.
func (n never) act(to readmodel.Interrupt, by, why string) (events.Event, error) {
	details := runevents.MuteDetails{Scope: runevents.MuteSubject, Detector: n.detector, Subject: n.subject, Until: &n.until}
	return operator.Mute(operator.Target{Session: to.Session, Group: to.Group}, details, by, why, time.Now())
}

// keep adds the mute to the rules and prints what now applies.
func (n never) keep(r *cli.Call, by, why string) error {
	mute := budget.Mute{
		Scope: runevents.MuteSubject, Detector: n.detector, Subject: n.subject, Reason: why, By: by, Until: n.until,
		Workspace: n.workspace,
	}
	if err := deployment.AddMute(n.path, mute); err != nil {
		return fmt.Errorf("the session is muted, its successors are not: %w", err)
	}
	where := ""
	if n.workspace != "" {
		where = " in " + terminal.Clean(n.workspace)
	}
	_, err := fmt.Fprint(r.Stdout,
		r.Below(fmt.Sprintf("%s about %s%s is muted until %s: in this session now, in `scaffoldwatch scan` too, "+
			"and in new sessions once the system is started again", n.detector, terminal.Clean(n.subject), where,
			n.until.Local().Format("2 January 2006"))),
		r.Below(fmt.Sprintf("kept in %s; `scaffoldwatch mutes` shows it", n.path)))
	return err
}
