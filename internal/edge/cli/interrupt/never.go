package interrupt

import (
	"errors"
	"fmt"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/deployment"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/publish/operator"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/embedded"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/budget"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

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
