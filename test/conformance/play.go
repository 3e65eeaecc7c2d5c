package conformance

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/app"
	"github.com/scaffoldwatch/scaffoldwatch/internal/core/detect/scenario"
	"github.com/scaffoldwatch/scaffoldwatch/internal/offline"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// player feeds a script through the three stages and writes down what each derives.
type player struct {
	ingest, evaluate, dispatch offline.Stage
	writer                     *writer
	inputs                     int
}

func newPlayer(core *app.Core, show string) *player {
	return &player{
		ingest:   offline.NewStage(core.Ingest, core.Identity),
		evaluate: offline.NewStage(core.Evaluate, core.Identity),
		dispatch: offline.NewStage(core.Dispatch, core.Identity),
		writer:   newWriter(show),
	}
}

// play returns what is expected of each step.
func (p *player) play(s *scenario.Script) ([]string, error) {
	if s.Opened != nil {
		if s.Opened.Session == "" {
			s.Opened.Session = scenario.DefaultSession
		}
		if _, err := p.feed(events.TypeSessionOpened, s.Opened.Session, s.Opened, 0); err != nil {
			return nil, err
		}
	}
	var out []string
	for i := range s.Steps {
		step := &s.Steps[i]
		kind, data := step.Type, step.Data
		if step.Turn != nil {
			kind, data = events.TypeTurnRaw, any(step.Turn)
		}
		var back time.Duration
		if step.Late {
			back = time.Minute
		}
		text, err := p.feed(kind, subject(data), data, back)
		if err != nil {
			return nil, fmt.Errorf("step %d: %w", i+1, err)
		}
		out = append(out, text)
	}
	return out, nil
}

// subject is the session that an input event is about.
func subject(data any) string {
	switch d := data.(type) {
	case *events.Turn:
		return d.Session
	case *events.SessionOpened:
		return d.Session
	case *events.SessionClosed:
		return d.Session
	}
	return scenario.DefaultSession
}

// beginning is when the first input happens; each comes a second later.
var beginning = time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC)

func (p *player) feed(kind events.Type, subject string, data any, back time.Duration) (string, error) {
	p.inputs++
	input, err := app.Prepare(events.Event{
		ID: "input-" + strconv.Itoa(p.inputs), Source: "/conformance", Type: kind, Subject: subject,
		Time: beginning.Add(time.Duration(p.inputs)*time.Second - back), Data: data,
	})
	if err != nil {
		return "", err
	}
	if input.Raw, err = events.EncodeData(input); err != nil {
		return "", err
	}
	list := []events.Event{input}
	for _, stage := range []offline.Stage{p.ingest, p.evaluate, p.dispatch} {
		var derived []events.Event
		for _, e := range list {
			out, fault := stage.Fold(e)
			if fault != "" {
				p.writer.line("fault of %s: %s", stage.Name(), fault)
			}
			for _, made := range out {
				if strings.HasSuffix(made.Source, stage.Name()) { // not what it only forwards
					p.writer.write(made)
				}
			}
			derived = append(derived, out...)
		}
		list = derived
	}
	return p.writer.take(), nil
}
