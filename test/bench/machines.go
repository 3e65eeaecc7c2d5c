package main

import (
	"encoding/json"
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	govern "github.com/scaffoldwatch/scaffoldwatch/internal/stage/dispatch"
	"github.com/scaffoldwatch/scaffoldwatch/internal/stage/evaluate"
	"github.com/scaffoldwatch/scaffoldwatch/internal/stage/ingest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// grownMachines are the three machines with the states of one session: the core as
// the services run it, without snapshots, codec and broker.
type grownMachines struct {
	ingest   grown[*ingest.State]
	evaluate grown[*evaluate.State]
	dispatch grown[*govern.State]
}

func newMachines(core *machines.Core, session string) *grownMachines {
	return &grownMachines{
		ingest:   grow(core, step.Machine[*ingest.State](core.Ingest), session),
		evaluate: grow(core, step.Machine[*evaluate.State](core.Evaluate), session),
		dispatch: grow(core, step.Machine[*govern.State](core.Dispatch), session),
	}
}

// feed folds one event through all three.
func (m *grownMachines) feed(e events.Event) error {
	segmented, err := m.ingest.step(e)
	if err != nil {
		return err
	}
	for _, a := range segmented {
		signals, err := m.evaluate.step(a)
		if err != nil {
			return err
		}
		for _, b := range signals {
			if _, err := m.dispatch.step(b); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *grownMachines) size() int { return m.ingest.size() + m.evaluate.size() + m.dispatch.size() }

// grown is one machine with the state of one session.
type grown[S any] struct {
	machine  step.Machine[S]
	state    S
	identity step.Identity
}

func grow[S any](core *machines.Core, machine step.Machine[S], session string) grown[S] {
	return grown[S]{machine: machine, state: machine.New(session), identity: core.Identity}
}

func (g *grown[S]) step(e events.Event) ([]events.Event, error) {
	out := step.NewEmitter(g.machine.Stage(), g.identity, e)
	next, err := g.machine.Step(g.state, step.Input{Event: e}, out)
	if err != nil {
		return nil, fmt.Errorf("%s of %s %s: %w", g.machine.Stage(), e.Type, e.ID, err)
	}
	g.state = next
	return out.Events(), nil
}

func (g *grown[S]) encoded() ([]byte, error) { return g.machine.Encode(g.state) }

func (g *grown[S]) size() int { return g.machine.Size(g.state) }

// delivered returns an event as a stage receives it: decoded, with its JSON.
func delivered(e events.Event) (events.Event, error) {
	raw, err := json.Marshal(e.Data)
	if err != nil {
		return e, fmt.Errorf("encode %s: %w", e.ID, err)
	}
	e.Raw = raw
	e.Data, err = events.DecodeData(e.Type, raw)
	return e, err
}
