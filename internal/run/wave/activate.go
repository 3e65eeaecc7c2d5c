package wave

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// kindSAW is the kind of a run that uses the protocol.
const kindSAW = "saw"

// concerns reports whether the layer evaluates an event. It starts watching a run at the
// first event which shows that the run uses the protocol.
func (s *State) concerns(event *run.Context) bool {
	if s.Active {
		return true
	}
	if sign := signs[event.Event.Type]; sign != nil {
		return sign(s, event.Event.Data)
	}
	return false
}

// signs are the events that are evaluated before a run has shown that it uses the
// protocol; most of them show it.
var signs = map[events.Type]func(s *State, data any) bool{
	runevents.TypeRunStarted:         sign(startedByProtocol),
	runevents.TypeScoutCompleted:     joined,
	runevents.TypeScaffoldStarted:    joined,
	runevents.TypeScaffoldCommitted:  joined,
	runevents.TypeScaffoldFailed:     joined,
	runevents.TypeWavePlanned:        joined,
	runevents.TypeWaveStarted:        joined,
	runevents.TypeWaveMergeRequested: joined,
	runevents.TypeWaveMerged:         joined,
	runevents.TypeField0Checked:      joined,
	runevents.TypeWorktreeCreated:    sign(worktreeOfAgent),
	// other kinds of runs have their own hooks and approvals
	runevents.TypeHookInstalled:    ofNoKind,
	runevents.TypePlanApproved:     ofNoKind,
	runevents.TypeRecoverySelected: ofNoKind,
	runevents.TypeAgentStarted:     sign(agentOfWave),
	runevents.TypeGateRequested:    sign(gateOfProtocol),
	runevents.TypeReviewCompleted:  func(*State, any) bool { return true }, // a failed checklist closes the merge gate of any run
}

// sign adapts a function that handles one type of payload.
func sign[D any](shows func(*State, D) bool) func(*State, any) bool {
	return func(s *State, data any) bool {
		d, is := data.(D)
		return is && shows(s, d)
	}
}

// join starts watching a run in progress.
func (s *State) join(active bool) bool {
	s.Active, s.Midway = active, active
	return active
}

func joined(s *State, _ any) bool { return s.join(true) }

func ofNoKind(s *State, _ any) bool { return s.join(s.Kind == "") }

func startedByProtocol(s *State, d *runevents.RunStarted) bool {
	s.Kind = run.KnownKind(d.Kind)
	s.Active = d.Kind == kindSAW
	return s.Active
}

func worktreeOfAgent(s *State, d *runevents.WorktreeCreated) bool {
	return s.join(s.Kind == "" && !ofNoAgent(d))
}

func agentOfWave(s *State, d *runevents.AgentStarted) bool {
	return s.join(d.Wave > 0 && d.Letter != "")
}

// gateOfProtocol reports whether a gate is answered for all kinds of runs.
func gateOfProtocol(_ *State, d *runevents.GateRequested) bool { return gates[d.Gate] != nil }
