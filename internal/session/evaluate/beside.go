package evaluate

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Other is a machine of other rules, which differ in what only detectors read.
type Other struct {
	*Machine
	Differs func(section string) bool
}

// Beside returns the machine with others that evaluate the same turns (AU-20). What they derive
// of an input follows what the machine itself derives, under their identities; what is passed on
// is not repeated.
func (m *Machine) Beside(others []Other) *Machine {
	all := *m
	all.beside, all.identities = nil, nil
	for _, o := range others {
		all.beside = append(all.beside, m.suite.Beside(o.suite, o.Differs))
		all.identities = append(all.identities, o.identity)
	}
	return &all
}

// emitters collect what the machines beside derive of an input.
func (m *Machine) emitters(cause events.Event) (all []*step.Emitter) {
	for _, id := range m.identities {
		all = append(all, step.NewEmitter(StageName, id, cause))
	}
	return all
}

// watch reports what an event shows of its run, which the machines beside see in the same way, and
// adds what these derive.
func (m *Machine) watch(state *State, in step.Input, out *step.Emitter, beside []*step.Emitter) {
	before := len(out.Events())
	m.watchRun(state, in, out)
	watched := out.Events()[before:]
	for _, other := range beside {
		for _, e := range watched {
			other.Emit(e.Type, e.Subject, e.Data)
		}
	}
	for _, other := range beside {
		for _, e := range other.Events() {
			out.Forward(e)
		}
	}
}
