package interrupt

import (
	"errors"
	"fmt"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/deployment"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/publish/operator"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/budget"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// never silences a detector about the subject of an interrupt: immediately in its session, and through the
// operator's rules in later ones (CO-7).
type never struct {
	detector, subject, path string
	until                   time.Time
}

// neverHere determines what to silence, before anything is sent.
func (a answer) neverHere(r *cli.Call, broker *nats.Broker, to readmodel.Interrupt) (never, error) {
	settings, err := a.Settings(r)
	if err != nil {
		return never{}, err
	}
	subject, err := decisions.SubjectOf(r, broker, to)
	if err != nil {
		return never{}, err
	}
	if subject == "" {
		return never{}, cli.Usage(fmt.Errorf("--never-here: what %s is about is not known any more; `scaffoldwatch mute --detector %s` silences the whole detector", to.ID, to.Detector))
	}
	path := settings.Rules
	if path == "" && settings.NATS.URL == config.Default().NATS.URL { // `up` on this machine reads these
		path = deployment.OwnRulesPath()
	}
	if path == "" {
		return never{}, cli.Usage(errors.New("--never-here: name the rules file that the services read (rules: in the configuration)"))
	}
	return never{detector: to.Detector, subject: subject, path: path, until: a.until}, nil
}

// act returns the mute for the current session.
func (n never) act(to readmodel.Interrupt, by, why string) (events.Event, error) {
	details := runevents.MuteDetails{Scope: runevents.MuteSubject, Detector: n.detector, Subject: n.subject, Until: &n.until}
	return operator.Mute(operator.Target{Session: to.Session, Group: to.Group}, details, by, why, time.Now())
}

// keep adds the mute to the rules and prints what now applies.
func (n never) keep(r *cli.Call, by, why string) error {
	mute := budget.Mute{Scope: runevents.MuteSubject, Detector: n.detector, Subject: n.subject, Reason: why, By: by, Until: n.until}
	if err := deployment.AddMute(n.path, mute); err != nil {
		return fmt.Errorf("the session is muted, its successors are not: %w", err)
	}
	_, err := fmt.Fprintf(r.Stdout, "  %s about %s is muted until %s: in this session now, in new ones when the system has been started again\n  kept in %s; `scaffoldwatch mutes list` shows it\n",
		n.detector, terminal.Clean(n.subject), n.until.Local().Format("2 January 2006"), n.path)
	return err
}
