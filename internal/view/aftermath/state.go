package aftermath

import (
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// State is what is remembered of one run.
type State struct {
	Seen        int          `json:"seen"`                // counts events
	Completed   string       `json:"completed,omitempty"` // event of run.completed, "" while the run goes on
	Ended       int          `json:"ended,omitempty"`     // Seen at run.completed
	Outcome     string       `json:"outcome,omitempty"`
	Breaks      []Break      `json:"breaks,omitempty"`
	Corrections []Correction `json:"corrections,omitempty"`
	Sightings   []Sighting   `json:"sightings,omitempty"`
	LeftOut     int          `json:"left_out,omitempty"` // entries beyond the bound
}

// Apply folds one event of DECISIONS that is about the run.
func (s *State) Apply(settings *Settings, ev events.Event) {
	s.Seen++
	if described, known := events.Lookup(ev.Type); known && described.RunEvent {
		if !Claimed(ev, described) {
			s.worked(ev)
			s.lifecycle(settings, ev)
		}
		return
	}
	switch d := ev.Data.(type) {
	case *runevents.WiggumBreak:
		s.broke(settings, ev, d)
	case *runevents.BreakNoted:
		s.noted(settings, ev, d)
	case *runevents.HaltIgnored:
		s.haltIgnored(settings, ev, d)
	case *runevents.ControlChanged:
		s.control(settings, ev, d)
	case *sessionevents.SessionClosed:
		s.closed(ev, d)
	case *sessionevents.TurnEvaluated:
		s.worked(ev)
	case *sessionevents.Signal:
		s.seen(settings, ev, d)
	case *runevents.CorrectionIssued:
		s.corrected(settings, ev, Correction{Layer: d.Layer, Issue: d.Issue, Step: d.Step, Action: d.Action})
	case *runevents.EscalationRaised:
		if s.Corrects(d) { // the ladder's third step (RW-40)
			s.corrected(settings, ev, Correction{Layer: d.Layer, Issue: d.Issue, Step: 3, Action: ActionEscalate})
		}
	}
}

// Claimed reports a fact without the credential that its type needs: told, and
// taken for nothing more (EV-10).
func Claimed(ev events.Event, described events.Descriptor) bool {
	return (described.Role == events.RoleOperator || described.Role == events.RoleInfra) && ev.Credential != described.Role
}

// lifecycle folds what the run itself tells.
func (s *State) lifecycle(settings *Settings, ev events.Event) {
	switch d := ev.Data.(type) {
	case *runevents.RunStarted, *runevents.RunResumed: // it goes on: an end is taken back
		s.Completed, s.Outcome = "", ""
	case *runevents.RunCompleted:
		s.Completed, s.Ended, s.Outcome = ev.ID, s.Seen, settings.Short(d.Outcome)
	case *runevents.GitCommit:
		s.reverted(ev, d)
	case *runevents.RecoverySelected:
		s.recovered(settings, ev, d)
	}
}

// endedAfter reports whether the run was completed after that moment.
func (s *State) endedAfter(moment int) bool { return s.Completed != "" && s.Ended > moment }

// room reports whether a list takes one more entry; one that is left out is counted.
func (s *State) room(settings *Settings, entries int) bool {
	if entries < settings.Entries {
		return true
	}
	s.LeftOut++
	return false
}
