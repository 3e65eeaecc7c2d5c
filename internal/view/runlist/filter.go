package runlist

import (
	"cmp"
	"fmt"

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

// WayOut returns the command that lets a broken run continue; after the trip wire it is the choice of a
// recovery (WP-1).
func WayOut(run string, trigger runevents.BreakTrigger) string {
	if trigger == runevents.TriggerIsolationFailure {
		return "scaffoldwatch recover " + run
	}
	return "scaffoldwatch resume " + run + " --why '…'"
}

// Asks reports whether only a person can open a gate that was not: one with options, or one that the operator
// decides. A gate requested in advance blocks nothing yet, and a halt is reported by its break (RW-33).
func Asks(d *runevents.GateDecided) bool {
	return !d.Ahead && d.Rule != "RW-33" && (len(d.Options) > 0 || d.WhoDecides == runevents.DecidedByOperator)
}

// Opens returns the command with which a person answers a gate, "" if there is none.
func Opens(run string, d *runevents.GateDecided) string {
	switch {
	case d.Gate == runevents.GateMerge && d.Rule == "WP-1":
		return fmt.Sprintf("scaffoldwatch recover %s OPTION --wave %d --why '…'", run, d.Wave)
	case d.Rule == "WP-8", d.Rule == "WP-10",
		(d.Rule == "WP-9" || d.Rule == "WP-11") && d.WhoDecides == runevents.DecidedByOperator:
		return fmt.Sprintf("scaffoldwatch approve %s --why '…'", run)
	}
	return ""
}

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
