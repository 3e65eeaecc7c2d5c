package evaluate

import (
	"maps"
	"slices"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/ledger"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Recorded is a turn with what the evaluator recorded about it. It is the data of an
// event that replaces the recorded turn.evaluated.
type Recorded struct {
	Turn    events.Event // turn.segmented
	Signals []sessionevents.Signal
	Closed  events.Event // turn.evaluated
}

// Again returns the machine with others, as [Machine.Beside] does, for recorded events of
// the evaluator: for each turn, only detectors whose rules differ run. Its input is the
// events of SIGNALS, with [Recorded] in place of each turn.evaluated, and without the
// signals of turns.
func (m *Machine) Again(others []Other) *Machine {
	all := *m
	all.again = []string{} // non-nil even if nothing differs
	for _, o := range others {
		all.again = append(all.again, m.suite.Again(o.suite, o.Differs)...)
	}
	slices.Sort(all.again)
	all.again = slices.Compact(all.again)
	all.suite = m.suite.Only(all.again...)
	for i, o := range others {
		some := *o.Machine
		some.suite = o.suite.Only(all.again...)
		others[i].Machine = &some
	}
	return all.Beside(others)
}

// recorded folds an event that the evaluator recorded.
func (m *Machine) recorded(state *State, in step.Input, out *step.Emitter) {
	switch data := in.Event.Data.(type) {
	case *Recorded:
		m.evaluated(state, data, out)
		return
	case *sessionevents.SessionOpened:
		m.opened(state, data)
	case *sessionevents.SessionClosed:
		ended(state, data)
	case *sessionevents.WorkspaceObserved:
		observed(state, data)
	case *sessionevents.CheckObserved:
		received(state, data)
	}
	if in.Event.Source != step.Source(StageName) {
		out.Forward(in.Event)
		return
	}
	for _, id := range append([]step.Identity{m.identity}, m.identities...) { // a signal about its run
		e := in.Event
		e.RulesVersion, e.ConfigHash = id.RulesVersion, id.ConfigHash
		out.Forward(e)
	}
}

// evaluated evaluates the parts of a turn that its record does not cover.
func (m *Machine) evaluated(state *State, data *Recorded, out *step.Emitter) {
	t, is := data.Turn.Data.(*sessionevents.TurnSegmented)
	recorded, also := data.Closed.Data.(*sessionevents.TurnEvaluated)
	if !is || !also || recorded.Failed != "" {
		out.Forward(data.Closed)
		return
	}
	own := step.NewEmitter(StageName, m.identity, data.Turn)
	beside := m.emitters(data.Turn)
	s := m.session(state, t.Session, t.Agent.ParentSession)
	s.Closed = false
	additions := s.registry.Digest(t)
	done := m.ledger.Digest(&s.Ledger, t, s.registry, additions)
	result, others := m.suite.EvaluateBeside(&detect.Pass{
		Turn: t, Before: s.registry, Additions: additions, Ledger: done, At: data.Turn.Time, Peers: peers(state, t.Session),
		Reports: recorded.Pause.Why == sessionevents.PauseCompleted,
		Record:  &detect.Recorded{Again: m.again, Signals: data.Signals, Closed: recorded},
	}, s.memory, m.beside, s.others)
	s.commit(state, t, additions, done)
	if t.Agent != (sessionevents.Agent{}) {
		s.Agent = t.Agent
	}
	closing := *recorded
	closed(t, closing, signals(t, &result, own), &result, own)
	for i := range others {
		closed(t, closing, signals(t, &others[i], beside[i]), &others[i], beside[i])
	}
	for _, emitter := range append([]*step.Emitter{own}, beside...) {
		for _, e := range emitter.Events() {
			out.Forward(e)
		}
	}
}

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
