package e2e

import (
	"bytes"
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit"
	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/demo"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/advisor"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/opinion"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// advised starts a system whose model is a mock that behaves in one way.
func advised(t *testing.T, how string, change func(*config.Advisor)) *running {
	return start(t, func(c *config.Config) {
		c.Advisor.Provider, c.Advisor.Model, c.Advisor.Prices = config.AdvisorMock, how, []string{"mock=1/5"}
		if change != nil {
			change(&c.Advisor)
		}
	})
}

// playAnswered publishes the sample fleet, a session's next turn when the model has answered about the one before.
func (s *running) playAnswered(settings config.Advisor) (sessions int) {
	fleet, err := demo.Sessions(time.Now().Add(-time.Hour))
	require.NoError(s.t, err)
	shipped, err := opinion.Load(rules.Default())
	require.NoError(s.t, err)
	pending := advisor.NewPending(shipped, settings)
	ctx, cancel := context.WithCancel(s.t.Context())
	followed := make(chan error, 1)
	go func() {
		followed <- cli.Follow(ctx, s.broker, allDecisions, func(e events.Event) error {
			pending.Take(e)
			return nil
		})
	}()
	turns := map[string]int{}
	for _, e := range inTurn(fleet) {
		require.NoError(s.t, pending.Wait(ctx, e.Subject, turns[e.Subject]))
		s.publish([]events.Event{e})
		if e.Type == sessionevents.TypeTurnRaw {
			turns[e.Subject]++
		}
	}
	cancel()
	require.ErrorIs(s.t, <-followed, context.Canceled)
	return len(fleet)
}

// play publishes the sample fleet.
func (s *running) play(pause time.Duration) (sessions int) {
	fleet, err := demo.Sessions(time.Now().Add(-time.Hour))
	require.NoError(s.t, err)
	for _, e := range inTurn(fleet) {
		s.publish([]events.Event{e})
		time.Sleep(pause)
	}
	return len(fleet)
}

// outcomes returns what became of the session-layer signals, and the opinions.
func (s *running) outcomes() (codes map[sessionevents.DispositionCode]int, fired int, opinions []*sessionevents.OpinionRecorded) {
	codes = map[sessionevents.DispositionCode]int{}
	account := audit.NewDispositions()
	s.decisions(func(e events.Event) {
		account.Apply(e)
		switch d := e.Data.(type) {
		case *sessionevents.Disposition:
			codes[d.Code]++
		case *sessionevents.InterruptFired:
			fired++
		case *sessionevents.OpinionRecorded:
			opinions = append(opinions, d)
		}
	})
	require.True(s.t, account.Result().Balanced(), account.Result())
	return codes, fired, opinions
}

// A model that refutes everything holds back what may be held back, and each of its answers is an event:
// a replay derives the same without a model, every question can be built again, and an edited answer is
// found (AD-1, AD-2, AD-7).
func TestSecondOpinionsAreRecorded(t *testing.T) {
	var settings config.Advisor
	s := advised(t, "refute", func(c *config.Advisor) {
		c.Timeout = patience
		settings = *c
	})
	s.decided(s.playAnswered(settings))
	codes, _, opinions := s.outcomes()
	require.NotEmpty(t, opinions)
	require.NotZero(t, codes[sessionevents.CodeRefuted], "%v", codes)
	cost := sessionevents.Money(0)
	sessions := map[string]bool{}
	for _, o := range opinions {
		require.Equal(t, "mock", o.Model)
		require.Empty(t, o.Void)
		cost += o.Cost
		sessions[o.Session] = true
	}
	require.Positive(t, cost)
	s.replays()

	config, err := opinion.Load(rules.Default())
	require.NoError(t, err)
	require.Eventually(t, func() bool { // an answer may come in between
		_, _, opinions = s.outcomes()
		for _, o := range opinions {
			sessions[o.Session] = true
		}
		built := 0
		for session := range sessions {
			asked, err := advisor.Questions(t.Context(), s.broker, config, session)
			require.NoError(t, err)
			for _, a := range asked {
				require.True(t, a.Same, "question %s of %s", a.Opinion.Question, session)
				built++
			}
		}
		return built == len(opinions)
	}, patience, 200*time.Millisecond, "each opinion's question is built again, and no other")

	options := chain.Options{Partitions: partitions}
	report, err := chain.Verify(t.Context(), stored{broker: s.broker}, options)
	require.NoError(t, err)
	require.Empty(t, report.Findings)
	for _, name := range []events.Stream{events.StreamSegments, events.StreamSignals, events.StreamDecisions} {
		edited := 0
		report, err = chain.Verify(t.Context(), stored{broker: s.broker, edit: func(stream events.Stream, m *proof.Message) {
			if stream == name && edited == 0 && bytes.Contains(m.Data, []byte(`"verdict":"refuted"`)) {
				m.Data = bytes.Replace(m.Data, []byte(`"refuted"`), []byte(`"unsure"`), 1)
				edited++
			}
		}}, options)
		require.NoError(t, err)
		require.Equal(t, 1, edited)
		require.NotEmpty(t, report.Findings, "an edited opinion in %s", name)
	}
}

// stored holds a system's messages, some of them edited in transit.
type stored struct {
	broker *natsengine.Broker
	edit   func(events.Stream, *proof.Message)
}

func (s stored) Stream(ctx context.Context, name events.Stream) (proof.Stream, error) {
	return read.LookUp(ctx, s.broker, name)
}

func (s stored) Each(ctx context.Context, name events.Stream, through uint64, take func(proof.Message) error) error {
	return read.Each(ctx, s.broker, name, through, func(m proof.Message) error {
		if s.edit != nil {
			m.Data = slices.Clone(m.Data)
			s.edit(name, &m)
		}
		return take(m)
	})
}

// A model that is slow, lies, fails and floods: no stage waits for it, every signal has one end, and a
// replay gives the same (AD-4, AD-5).
func TestModelsThatMisbehaveHoldUpNothing(t *testing.T) {
	plain := start(t, nil)
	before := time.Now()
	sessions := plain.play(2 * time.Millisecond)
	plain.decided(sessions)
	alone := time.Since(before)
	codes, without, _ := plain.outcomes()
	plain.end()
	for _, how := range []string{"slow", "lie", "flood", "error", "add"} {
		s := advised(t, how, func(c *config.Advisor) { c.Timeout, c.BreakAfter, c.Waiting = time.Second, 3, 4 })
		before = time.Now()
		s.decided(s.play(2 * time.Millisecond))
		took := time.Since(before)
		got, fired, opinions := s.outcomes()
		t.Logf("%-5s: %d opinions; all decided after %s, alone after %s", how, len(opinions), took.Round(time.Millisecond), alone.Round(time.Millisecond))
		require.Less(t, took, alone+10*time.Second)
		if how == "slow" || how == "error" || how == "flood" {
			require.Equal(t, without, fired, how)
			require.Equal(t, codes, got, how)
		}
		s.replays()
		s.end()
	}
}
