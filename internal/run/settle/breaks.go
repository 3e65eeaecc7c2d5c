package settle

import (
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// isHard reports whether a requested break halts at once.
func isHard(request *runevents.WiggumBreak) bool { return request.Kind == runevents.BreakHard }

// requested is RW-32: one open break per scope. A hard request upgrades a pending soft
// break; any other is recorded on the open break, except for acts against the halt
// (WP-2).
func (t *settlement) requested(request *runevents.WiggumBreak, all []run.Conclusion) {
	subject, control := t.scope(request)
	open := control.Open
	if open == nil && request.Scope == runevents.ScopeSession && t.state.Control.State == runevents.ControlHalted {
		open = t.state.Control.Open // the run's halt is the session's
	}
	switch {
	case open == nil || control.State == runevents.ControlDraining && open.Kind != runevents.BreakHard && isHard(request):
		if open != nil {
			request.Upgrades = open.ID
		}
		t.complete(request)
		id := t.take(broken{subject, request, t.context.Event.ID, t.context.Event.Time, text.Cut(request.Reason, t.Kept.Text)})
		t.report(subject, request, id, all)
	case t.against(open, request.Trigger):
		t.complete(request)
		id := t.take(secondBreak{subject, request, open.ID})
		t.report(subject, request, id, all)
	default:
		t.take(noted{subject, &runevents.BreakNoted{
			Break: open.ID, Kind: request.Kind, Trigger: request.Trigger, Reason: request.Reason, Evidence: request.Evidence,
		}})
	}
}

// note adds a trigger to those that the open break covers.
func (o *Open) note(trigger runevents.BreakTrigger) {
	if trigger != o.Trigger && !slices.Contains(o.Noted, trigger) {
		o.Noted = append(o.Noted, trigger)
	}
}

// against reports whether a trigger is an act against the halt that has not been
// published yet.
func (t *settlement) against(open *Open, trigger runevents.BreakTrigger) bool {
	return t.Breaks[string(trigger)].AgainstHalt && open.Trigger != trigger && !slices.Contains(open.Against, trigger)
}

// scope sets what a request halts, the run or one session alone (RW-35), and
// returns its id and control.
func (t *settlement) scope(request *runevents.WiggumBreak) (string, *Control) {
	about := t.Breaks[string(request.Trigger)]
	if request.Kind == "" {
		request.Kind = about.Kind
	}
	if request.Session == "" && t.state.Sessions[t.context.Event.Subject] != nil {
		request.Session = t.context.Event.Subject
	}
	if request.Scope == runevents.ScopeSession && request.Session != "" {
		request.Run = t.state.Run
		return request.Session, &t.state.Session(request.Session, t.Kept.Sessions).Control
	}
	subject := t.subject("")
	t.state.Begin(subject)
	request.Scope, request.Run, request.Session, request.Turn = runevents.ScopeRun, subject, "", 0
	return subject, &t.state.Control
}

// scope returns the control that a break applies to.
func (s *State) scope(data *runevents.WiggumBreak) *Control {
	if data.Scope == runevents.ScopeSession {
		return &s.Sessions[data.Session].Control
	}
	return &s.Control
}

// complete fills in the fields that every break carries (RW-32).
func (t *settlement) complete(request *runevents.WiggumBreak) {
	request.RunState = t.facts.RunState()
	request.UnresolvedFindings = t.facts.Unresolved()
	if request.Evidence == nil {
		request.Evidence = []string{}
	}
	if len(request.RunState.LastEvents) == 0 { // a session alone: use the evidence
		request.RunState.LastEvents = request.Evidence
	}
	if request.WIPAction == "" {
		request.WIPAction = runevents.WIPFinishThenHalt
		if isHard(request) {
			request.WIPAction = runevents.WIPCommit
		}
	}
	if request.Scope == runevents.ScopeRun { // a session's break needs no explanation (RW-35)
		t.explain(request)
	}
}
