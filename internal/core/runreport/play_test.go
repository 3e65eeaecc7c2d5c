package runreport_test

import (
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/app"
	"github.com/scaffoldwatch/scaffoldwatch/internal/core/detect/scenario"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// beginning is when the first input of a script happens; each comes a second later.
var beginning = time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC)

// core is the chain's machines, made once: they keep no state.
var core = sync.OnceValues(func() (*app.Core, error) { return app.NewCore(app.CoreOptions{Rules: rules.Default()}) })

// play feeds a script through the whole chain and gives DECISIONS, by step.
func play(t testing.TB, script *scenario.Script) [][]events.Event {
	core, err := core()
	require.NoError(t, err)
	chain, inputs := core.Chain(), 0
	feed := func(kind events.Type, subject string, at time.Duration, data any) []events.Event {
		inputs++
		if at == 0 {
			at = time.Duration(inputs) * time.Second
		}
		input, err := app.Prepare(events.Event{
			ID: "input-" + strconv.Itoa(inputs), Source: "/conformance", Type: kind, Subject: subject, Time: beginning.Add(at), Data: data,
		})
		require.NoError(t, err)
		input.Raw, err = events.EncodeData(input)
		require.NoError(t, err)
		return chain.Feed(input)
	}
	if script.Opened != nil {
		script.Opened.Session = scenario.DefaultSession
		feed(events.TypeSessionOpened, scenario.DefaultSession, 0, script.Opened)
	}
	var out [][]events.Event
	for i := range script.Steps {
		s := &script.Steps[i]
		kind, data := s.Type, s.Data
		if s.Turn != nil {
			kind, data = events.TypeTurnRaw, any(s.Turn)
		}
		out = append(out, feed(kind, subject(s, data), s.At, data))
	}
	return out
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
