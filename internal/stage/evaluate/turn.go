package evaluate

import (
	"maps"
	"slices"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/ledger"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// turn evaluates one turn: detectors see the registry before the turn and the turn's
// additions separately (SW-11), which are then folded in.
func (m *Machine) turn(state *State, t *sessionevents.TurnSegmented, at time.Time, out *step.Emitter, beside []*step.Emitter) {
	s := m.session(state, t.Session, t.Agent.ParentSession)
	s.Closed = false
	additions := s.registry.Digest(t)
	done := m.ledger.Digest(&s.Ledger, t, s.registry, additions)
	var pause sessionevents.Pause
	pause, s.Before = m.pauses.Of(s.Before, t)
	result, others := m.suite.EvaluateBeside(&detect.Pass{
		Turn: t, Before: s.registry, Additions: additions, Ledger: done, At: at, Peers: peers(state, t.Session),
		Reports: pause.Why == sessionevents.PauseCompleted,
	}, s.memory, m.beside, s.others)
	ids := signals(t, &result, out)
	s.Advised.turn(t.Turn, result.Signals)
	asked := ""
	if s.registry.Baseline.Task == "" {
		asked = beginning(additions.Baseline.Task)
	}
	s.commit(state, t, additions, done)
	closing := sessionevents.TurnEvaluated{
		Session: t.Session, Run: t.Run, Turn: t.Turn, Pause: pause, Observed: m.observe(s, t, additions), Ledger: done.Changes(),
	}
	closing.Observed.Asked = asked
	closed(t, closing, ids, &result, out)
	for i := range others {
		closed(t, closing, signals(t, &others[i], beside[i]), &others[i], beside[i])
	}
}

// commit stores what a turn adds.
func (s *session) commit(state *State, t *sessionevents.TurnSegmented, additions *registry.Turn, done *ledger.Turn) {
	s.registry.Commit(additions)
	s.Ledger = *done.After
	if len(additions.FilesWritten) > 0 {
		s.share(state, t, additions)
	}
}

// signals emits the findings and returns their ids.
func signals(t *sessionevents.TurnSegmented, result *detect.Result, out *step.Emitter) []string {
	ids := make([]string, 0, len(result.Signals))
	for i := range result.Signals {
		signal := &result.Signals[i]
		ids = append(ids, signal.ID)
		out.Emit(sessionevents.TypeSignalDetected, t.Session, signal)
	}
	return ids
}

// closed emits the event that closes the turn.
func closed(t *sessionevents.TurnSegmented, closing sessionevents.TurnEvaluated, ids []string, result *detect.Result, out *step.Emitter) {
	observed := *closing.Observed
	observed.Unread = result.Unread
	closing.Signals, closing.Pending, closing.Observed = ids, result.Pending, &observed
	out.Emit(sessionevents.TypeTurnEvaluated, t.Session, &closing)
}

// share adds what a turn wrote to the related sessions: its parent, its subagents, and
// other subagents of the same parent (SW-1).
func (s *session) share(state *State, t *sessionevents.TurnSegmented, additions *registry.Turn) {
	parent := t.Agent.ParentSession
	for _, id := range slices.Sorted(maps.Keys(state.Sessions)) {
		other := state.Sessions[id]
		related := id == parent || other.Agent.ParentSession == t.Session || parent != "" && other.Agent.ParentSession == parent
		if id != t.Session && related {
			other.registry.WroteElsewhere(s.registry, additions)
		}
	}
}

// peers returns the group's other sessions, in order of id (SW-1: duplicates across the
// sessions of a run count).
func peers(state *State, id string) []detect.Peer {
	if len(state.Sessions) < 2 {
		return nil
	}
	var out []detect.Peer
	for _, other := range slices.Sorted(maps.Keys(state.Sessions)) {
		if other != id {
			out = append(out, detect.Peer{Session: other, Registry: state.Sessions[other].registry})
		}
	}
	return out
}
