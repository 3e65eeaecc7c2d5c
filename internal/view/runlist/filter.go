package runlist

import (
	"cmp"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Filter selects runs; its zero value selects all.
type Filter struct {
	State   string // as returned by [Run.Standing]
	Project string // as returned by [Run.Of]
	Waiting bool   // an escalation or question waits for a person
	Refused bool   // it continues although a gate's last answer was deny or hold
}

// Match reports whether a run is selected.
func (f Filter) Match(r *Run) bool {
	if f.Refused && (len(r.Refused) == 0 || r.Standing() == Done) {
		return false
	}
	return (f.State == "" || r.Standing() == f.State) && (f.Project == "" || r.Of() == f.Project) && (!f.Waiting || r.Waits() > 0)
}

// Of returns the project of a run, or else its workspace, "" if it named neither (RW-15).
func (r *Run) Of() string { return cmp.Or(r.Project, r.Workspace) }

// Waits returns how many escalations and questions wait for a person.
func (r *Run) Waits() int { return len(r.Escalations) + len(r.Questions) }

// Done is the standing of a run that ended while it was free to continue.
const Done = "done"

// Standing returns the state of a run in one word: its control state, or done for a run that ended while it
// was free to continue.
func (r *Run) Standing() string {
	if r.Outcome != "" && r.State == runevents.ControlRunning {
		return Done
	}
	return string(r.State)
}

// Standings returns all results of [Run.Standing].
func Standings() []string {
	return []string{
		string(runevents.ControlRunning), string(runevents.ControlPaused), string(runevents.ControlDraining), string(runevents.ControlHalted), Done, string(runevents.ControlUnknown),
	}
}
