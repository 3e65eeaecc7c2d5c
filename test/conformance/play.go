package conformance

import (
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/publish"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/memory"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect/scenario"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// player feeds a script through the three stages and writes down what each derives.
type player struct {
	chain  *memory.Chain
	writer *writer
}

func newPlayer(core *machines.Core, show string) *player {
	p := &player{chain: core.Chain(), writer: newWriter(show)}
	p.chain.Folded = func(stage string, _ events.Event, derived []events.Event, fault string) {
		if fault != "" {
			p.writer.line("fault of %s: %s", stage, fault)
		}
		for _, made := range derived {
			if made.Source == step.Source(stage) { // not what it only forwards
				p.writer.write(made)
			}
		}
	}
	return p
}

// play returns what is expected of each step.
func (p *player) play(s *scenario.Script) ([]string, error) {
	opened, steps := s.Inputs()
	if opened != nil {
		if _, err := p.feed(*opened); err != nil {
			return nil, err
		}
	}
	var out []string
	for i, step := range steps {
		text, err := p.feed(step)
		if err != nil {
			return nil, fmt.Errorf("step %d: %w", i+1, err)
		}
		out = append(out, text)
	}
	return out, nil
}

func (p *player) feed(e events.Event) (string, error) {
	input, err := publish.Prepare(e)
	if err != nil {
		return "", err
	}
	if input.Raw, err = events.EncodeData(input); err != nil {
		return "", err
	}
	p.chain.Feed(input)
	return p.writer.take(), nil
}
