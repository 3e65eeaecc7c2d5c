package runlist

import (
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// RunOf returns the run that an event of DECISIONS is about: the one that its data names, else its group,
// which for a session without a run is the session.
func RunOf(ev events.Event) string {
	named := ""
	switch d := ev.Data.(type) {
	case *sessionevents.Signal:
		named = d.Run
	case *runevents.EscalationRaised:
		named = d.Run
	case *runevents.CorrectionIssued: // in a project's group it is about a run (RW-15)
		if d.Target.Session == "" {
			named = ev.Subject
		}
	case *runevents.WarningIssued: // in a workspace's group it is about a run (PL-10)
		if d.Code == runevents.CodeRunInProgress {
			named = ev.Subject
		}
	}
	if named == "" {
		return ev.Group()
	}
	return named
}

// Changes returns the run whose list entry an event changes: that of its group, where everything that waits
// for a person is settled, but for a warning the run that it is about.
func Changes(ev events.Event) string {
	if ev.Type == runevents.TypeWarningIssued {
		return RunOf(ev)
	}
	return ev.Group()
}
