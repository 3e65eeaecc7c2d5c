package wave

import (
	"slices"
)

// Phase is a state of the run (WP-16).
type Phase string

// Phases. The empty one is a run that was joined in progress.
const (
	ScoutPending    Phase = "SCOUT_PENDING"
	Reviewed        Phase = "REVIEWED" // waits for an operator's approval
	ScaffoldPending Phase = "SCAFFOLD_PENDING"
	ScaffoldFailed  Phase = "SCAFFOLD_FAILED"
	WavePending     Phase = "WAVE_PENDING"
	WaveExecuting   Phase = "WAVE_EXECUTING"
	WaveMerging     Phase = "WAVE_MERGING"
	WaveVerified    Phase = "WAVE_VERIFIED"
	Blocked         Phase = "BLOCKED"
	NotSuitable     Phase = "NOT_SUITABLE"
	Complete        Phase = "COMPLETE"
)

// trigger is an event that moves a run from one phase to another.
type trigger string

const (
	onSuitable          trigger = "the scout finds the task suitable"
	onNotSuitable       trigger = "the scout finds the task not suitable"
	onApproved          trigger = "an operator approves the plan"
	onScaffoldStarted   trigger = "the scaffold agent starts"
	onScaffoldCommitted trigger = "a scaffold is committed"
	onScaffoldFailed    trigger = "the scaffold fails"
	onContractChanged   trigger = "contracts change"
	onNextWave          trigger = "the next wave begins"
	onLaunched          trigger = "the wave is launched"
	onMergeAllowed      trigger = "the merge of the wave begins"
	onVerified          trigger = "the wave is verified"
	onBlocked           trigger = "the wave is blocked"
	onUnblocked         trigger = "what blocked the wave is put right"
	onTripped           trigger = "the trip wire fires"
	onRerun             trigger = "an operator chooses to run the wave again"
	onInvestigate       trigger = "an operator chooses to investigate"
	onAccept            trigger = "an operator accepts the work as it is"
	onCompleted         trigger = "the run completes"
)

// move is a row of the state machine. A move from a phase to itself means that the
// trigger is allowed there: pending states are re-entrant (E9).
type move struct {
	from []Phase
	on   trigger
	when func(*State) bool // nil: always
	to   Phase
}

// moves is the state machine of WP-16; the first matching row counts, and a trigger
// without a row is a violation.
var moves = []move{
	{[]Phase{ScoutPending, Reviewed, ScaffoldFailed}, onSuitable, nil, Reviewed},
	{[]Phase{ScoutPending, Reviewed}, onNotSuitable, nil, NotSuitable},

	{[]Phase{Reviewed, ScaffoldFailed}, onApproved, needsScaffold, ScaffoldPending},
	{[]Phase{Reviewed, ScaffoldFailed}, onApproved, nil, WavePending},
	{[]Phase{ScaffoldPending}, onApproved, nil, ScaffoldPending},
	{[]Phase{WavePending}, onApproved, nil, WavePending},
	{[]Phase{WaveExecuting}, onApproved, nil, WaveExecuting},
	{[]Phase{WaveVerified}, onApproved, nil, WaveVerified},
	{[]Phase{Blocked}, onApproved, nil, Blocked},

	{[]Phase{ScaffoldPending}, onScaffoldStarted, nil, ScaffoldPending},
	{[]Phase{ScaffoldPending}, onScaffoldCommitted, needsScaffold, ScaffoldPending},
	{[]Phase{ScaffoldPending}, onScaffoldCommitted, nil, WavePending},
	{[]Phase{ScoutPending, Reviewed, ScaffoldPending, ScaffoldFailed, WavePending}, onScaffoldFailed, nil, ScaffoldFailed},

	{[]Phase{Reviewed, ScaffoldPending, ScaffoldFailed, WavePending, Blocked}, onContractChanged, nil, Reviewed},

	{[]Phase{WaveVerified}, onNextWave, nil, WavePending},
	{[]Phase{WavePending}, onNextWave, nil, WavePending},
	{[]Phase{WavePending}, onLaunched, nil, WaveExecuting},
	{[]Phase{ScaffoldPending}, onLaunched, onlySolo, WaveExecuting},

	{[]Phase{WaveExecuting}, onMergeAllowed, nil, WaveMerging},
	{[]Phase{Blocked}, onMergeAllowed, investigated, WaveMerging},

	{[]Phase{WaveExecuting}, onVerified, currentSolo, WaveVerified},
	{[]Phase{WaveMerging}, onVerified, currentMerged, WaveVerified},
	{[]Phase{WaveVerified}, onVerified, nil, WaveVerified},
	{[]Phase{Blocked}, onVerified, nil, WaveVerified},

	{[]Phase{WaveExecuting, WaveMerging, WaveVerified, Blocked}, onBlocked, nil, Blocked},
	{[]Phase{Blocked}, onUnblocked, nil, WaveExecuting},

	{[]Phase{ScoutPending, Reviewed, ScaffoldPending, ScaffoldFailed, WavePending, WaveExecuting, WaveMerging, WaveVerified, Blocked}, onTripped, nil, Blocked},
	{[]Phase{Blocked}, onRerun, awaitingHuman, WavePending},
	{[]Phase{Blocked}, onInvestigate, awaitingHuman, Blocked},
	{[]Phase{Blocked}, onAccept, awaitingHuman, WaveVerified},

	{[]Phase{WaveVerified}, onCompleted, nil, Complete},
}

func needsScaffold(s *State) bool { return len(s.Plan.pending()) > 0 && !s.onlySoloWaves() }
func onlySolo(s *State) bool      { return s.onlySoloWaves() }
func investigated(s *State) bool  { return s.Trip != nil && s.Trip.Option == 2 }
func awaitingHuman(s *State) bool { return s.Trip != nil }

func currentSolo(s *State) bool {
	w := s.current()
	return w != nil && w.solo()
}

func currentMerged(s *State) bool {
	w := s.current()
	return w != nil && w.Merged
}

// may returns the phase that a trigger leads to, and false if no row lists it. In a run
// that was joined in progress, the first trigger is always allowed.
func (s *State) may(on trigger) (Phase, bool) {
	for _, m := range moves {
		if m.on == on && (slices.Contains(m.from, s.Phase) || s.Phase == "") && (m.when == nil || m.when(s)) {
			return m.to, true
		}
	}
	return s.Phase, false
}

// move applies a trigger, or reports that it is illegal and stays in the phase (WP-16).
func (m machine) move(on trigger) bool {
	to, ok := m.state.may(on)
	if !ok {
		m.illegal(on)
		return false
	}
	m.state.Phase = to
	return true
}

func (m machine) illegal(on trigger) {
	m.illegalBy("", on)
}

// illegalBy reports an illegal transition under the rule that describes the problem more
// precisely.
func (m machine) illegalBy(rule string, on trigger) {
	m.judge(judgement{
		code: codeIllegalTransition, rule: rule, invariants: transitionInvariants(m.state),
		what: "In the state " + m.state.state() + " " + string(on) + "; the protocol does not allow that here.",
	})
}
