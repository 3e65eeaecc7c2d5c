package engine_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/enginetest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// hanging is a machine that does not come back from some inputs until it is released: a text with
// "step" from its Step, one with "report" from what it says of an input, one with "redact" from its
// redacted form.
type hanging struct {
	enginetest.Tally
	released chan struct{}
}

func newHanging(t *testing.T) hanging {
	t.Helper()
	h := hanging{released: make(chan struct{})}
	t.Cleanup(func() { close(h.released) })
	return h
}

func (h hanging) wait(in step.Input, where string) {
	if turn, is := in.Event.Data.(*sessionevents.Turn); is && strings.Contains(turn.Text, where) {
		<-h.released
	}
}

func (h hanging) Step(s *enginetest.State, in step.Input, out *step.Emitter) (*enginetest.State, error) {
	h.wait(in, "step")
	return h.Tally.Step(s, in, out)
}

func (h hanging) Options() step.Options[*enginetest.State] {
	return step.Options[*enginetest.State]{
		Poisoned:  h.poisoned,
		Redaction: step.Redaction{Data: h.redacted, Text: func(text string) string { return text }},
	}
}

func (h hanging) poisoned(in step.Input, reason string, text func(string) string, out *step.Emitter) {
	h.wait(in, "report")
	h.Tally.Poisoned(in, reason, text, out)
}

func (h hanging) redacted(in step.Input) []byte {
	h.wait(in, "redact")
	return []byte("redacted")
}

// What makes a step hang can make whatever speaks of the input hang as well. The letter is stored
// with the reason, and what comes after goes on.
func TestAnInputThatHangsIsGivenUp(t *testing.T) {
	for text, want := range map[string]struct{ redacted, reported bool }{
		"step":               {true, true},
		"step redact":        {false, true},
		"step report":        {true, false},
		"step report redact": {false, false},
	} {
		t.Run(text, func(t *testing.T) {
			m := newPast(partitions)
			m.in.Append(turn("s", "a", "one"))
			m.in.Append(turn("s", "b", text))
			m.in.Append(turn("s", "c", "three"))
			o := brisk
			o.StepBudget = 20 * time.Millisecond
			runner := &engine.Runner[*enginetest.State]{Machine: newHanging(t), Identity: identity, Source: m.in, Sink: m.sink(), Options: o}
			require.NoError(t, runner.Run(t.Context()))
			letters := m.out.DeadLetters()
			require.Len(t, letters, 1)
			letter := letters["tally 2"]
			require.Equal(t, "step exceeds its budget of 20ms", letter.Reason)
			require.Equal(t, want.redacted, string(letter.Redacted) == "redacted")
			lines := strings.Join(slices.Concat(all(written(t, m))...), "\n")
			require.Equal(t, want.reported, strings.Contains(lines, `"failed":"step exceeds its budget of 20ms"`))
			require.Contains(t, lines, `"turn":2,"signals":["c"`, "the state is the one before it")
		})
	}
}

func all(by [partitions][]string) [][]string { return by[:] }

// slowAgain takes longer than its budget when it folds an input again, as a state is rebuilt on a
// busier machine.
type slowAgain struct {
	enginetest.Tally
	mu     *sync.Mutex
	before map[string]bool
	takes  time.Duration
}

func (m slowAgain) Step(s *enginetest.State, in step.Input, out *step.Emitter) (*enginetest.State, error) {
	m.mu.Lock()
	again := m.before[in.Event.ID]
	m.before[in.Event.ID] = true
	m.mu.Unlock()
	if again {
		time.Sleep(m.takes)
	}
	return m.Tally.Step(s, in, out)
}

// An input that was folded belongs to the state, however long it takes when that is rebuilt.
func TestASlowRebuildLosesNothing(t *testing.T) {
	m := newPast(partitions)
	o := brisk
	o.StepBudget, o.SnapshotFirst = 200*time.Millisecond, 1000
	machine := slowAgain{mu: &sync.Mutex{}, before: map[string]bool{}, takes: 2 * o.StepBudget}
	for _, ev := range []events.Event{turn("s", "a", "one"), turn("s", "b", "two")} {
		m.in.Append(ev)
		runner := &engine.Runner[*enginetest.State]{Machine: machine, Identity: identity, Source: m.in, Sink: m.sink(), Options: o}
		require.NoError(t, runner.Run(context.Background()))
	}
	require.Contains(t, slices.Concat(all(written(t, m))...)[1], `"turn":2`)
	require.Empty(t, m.out.DeadLetters())
}
