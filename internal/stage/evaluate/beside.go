package evaluate

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Other is a machine with other rules, which differ only in what detectors read.
type Other struct {
	*Machine
	Differs func(section string) bool
}

// Beside returns the machine with others that evaluate the same turns (AU-20). The events
// they derive from an input follow the machine's own, under their identities; forwarded
// events are not repeated.
func (m *Machine) Beside(others []Other) *Machine {
	all := *m
	all.beside, all.identities = nil, nil
	for _, o := range others {
		all.beside = append(all.beside, m.suite.Beside(o.suite, o.Differs))
		all.identities = append(all.identities, o.identity)
	}
	return &all
}

// emitters returns the emitters of the other machines for an input.
func (m *Machine) emitters(cause events.Event) (all []*step.Emitter) {
	for _, id := range m.identities {
		all = append(all, step.NewEmitter(StageName, id, cause))
	}
	return all
}

// watch reports what an event shows about its run, which is the same for the other
// machines, and adds their events.
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
