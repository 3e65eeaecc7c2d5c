package policy

import (
	"fmt"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/control"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Acts of a person that concern a run's halts and escalations.
const (
	actAck    = "ack"
	actResume = "resume"
)

// act takes what a person did to the run or one of its sessions.
func (f *fold) act(data *runevents.OperatorAct) {
	switch data.Act {
	case actAck:
		f.acknowledge(data)
	case actResume:
		f.resumeBy(data)
	}
}

// resumeBy is RW-34 by operator.act, for a run or a session.
func (f *fold) resumeBy(data *runevents.OperatorAct) {
	control := &f.state.Control
	session := f.state.Sessions[data.Session]
	if data.Session != "" {
		if session == nil {
			return
		}
		control = &session.Control
	}
	if control.State == runevents.ControlRunning || control.State == "" {
		if session == nil {
			f.unanswered()
		}
		f.resumedInVain(session)
		return
	}
	if !f.complete(data.By, data.Why) {
		return
	}
	if !meant(data, control.Open) {
		f.v.Warning(runevents.WarningIssued(f.judged(CodeResumeStale, "The resume names a break that is not the open one; nothing was resumed.")))
		return
	}
	if session != nil {
		f.resumeSession(data.Session, data.By, data.Why)
		return
	}
	f.state.Place.Completed = false
	f.resumeRun(data.By, data.Why)
}

// resumedInVain says why a session that has no break of its own stays halted.
func (f *fold) resumedInVain(session *Session) {
	if state := f.state.standing().State; session != nil && control.Stops(state, control.Task) {
		f.v.Warning(runevents.WarningIssued(f.judged(CodeResumeRun, fmt.Sprintf("The session is %s with its run; resume the run. Nothing was resumed.", state))))
	}
}

// meant reports whether an act is about the open break: it names none, this one,
// or the one that was upgraded to it.
func meant(data *runevents.OperatorAct, open *Open) bool {
	names := []string{"", data.Run, data.Session}
	if open != nil {
		names = append(names, open.ID, open.Upgraded)
	}
	return slices.Contains(names, data.Target)
}
