package conformance

import (
	"fmt"
	"strconv"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/app"
	"github.com/scaffoldwatch/scaffoldwatch/internal/core/detect/scenario"
	"github.com/scaffoldwatch/scaffoldwatch/internal/core/step"
	"github.com/scaffoldwatch/scaffoldwatch/internal/offline"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// player feeds a script through the three stages and writes down what each derives.
type player struct {
	chain  *offline.Chain
	writer *writer
	inputs int
}

func newPlayer(core *app.Core, show string) *player {
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
	if s.Opened != nil {
		if s.Opened.Session == "" {
			s.Opened.Session = scenario.DefaultSession
		}
		if _, err := p.feed(events.TypeSessionOpened, s.Opened.Session, s.Opened, nil); err != nil {
			return nil, err
		}
	}
	var out []string
	for i := range s.Steps {
		text, err := p.step(&s.Steps[i])
		if err != nil {
			return nil, fmt.Errorf("step %d: %w", i+1, err)
		}
		out = append(out, text)
	}
	return out, nil
}

func (p *player) step(s *scenario.Step) (string, error) {
	kind, data := s.Type, s.Data
	if s.Turn != nil {
		kind, data = events.TypeTurnRaw, any(s.Turn)
	}
	return p.feed(kind, subject(s, data), data, s)
}

// subject is the session or run that an input event is about.
func subject(s *scenario.Step, data any) string {
	switch d := data.(type) {
	case *events.Turn:
		return d.Session
	case *events.SessionOpened:
		return d.Session
	case *events.SessionClosed:
		return d.Session
	}
	if d, known := events.Lookup(s.Type); known && d.RunEvent {
		return s.Run
	}
	return scenario.DefaultSession
}

// beginning is when the first input happens; each comes a second later.
var beginning = time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC)

func (p *player) feed(kind events.Type, subject string, data any, s *scenario.Step) (string, error) {
	p.inputs++
	at := beginning.Add(time.Duration(p.inputs) * time.Second)
	if s != nil && s.At > 0 {
		at = beginning.Add(s.At)
	}
	if s != nil && s.Late {
		at = at.Add(-time.Minute)
	}
	input, err := app.Prepare(events.Event{
		ID: "input-" + strconv.Itoa(p.inputs), Source: "/conformance", Type: kind, Subject: subject, Time: at, Data: data,
	})
	if err != nil {
		return "", err
	}
	if input.Raw, err = events.EncodeData(input); err != nil {
		return "", err
	}
	p.chain.Feed(input)
	return p.writer.take(), nil
}
