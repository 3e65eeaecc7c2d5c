package evaluate

import (
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
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
