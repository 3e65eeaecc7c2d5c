package advisor

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/advisor/model"
	"github.com/scaffoldwatch/scaffoldwatch/internal/obs"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/opinion"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// clock is a time that a test moves.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func generous() config.Advisor {
	a := config.Default().Advisor
	a.PerSession, a.PerHour, a.PerDay, a.TokensPerDay, a.CostPerDay = 1000, 1000, 1000, 1e9, 0
	return a
}

// AD-5: each bound holds by itself, and ends when its time is over.
func TestBounds(t *testing.T) {
	for name, c := range map[string]struct {
		limit func(*config.Advisor)
		asks  int
		want  refusal
		after time.Duration
	}{
		"session": {func(a *config.Advisor) { a.PerSession = 3 }, 3, overSession, 0},
		"hour":    {func(a *config.Advisor) { a.PerHour = 4 }, 4, overHour, time.Hour},
		"day":     {func(a *config.Advisor) { a.PerDay = 5 }, 5, overDay, 24 * time.Hour},
		"tokens":  {func(a *config.Advisor) { a.TokensPerDay = 250 }, 2, overTokens, 24 * time.Hour},
		"cost":    {func(a *config.Advisor) { a.CostPerDay = 0.03 }, 3, overCost, 24 * time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			settings, at := generous(), &clock{time.Unix(1e9, 0)}
			c.limit(&settings)
			b := newBounds(settings, at.now)
			ask := func() refusal {
				_, refused := b.allow("s", 100, sessionevents.MoneyOf(0.01))
				return refused
			}
			for range c.asks {
				require.Empty(t, ask())
			}
			require.Equal(t, c.want, ask())
			require.Equal(t, c.want, ask(), "a refused question counts nothing")
			if c.after == 0 {
				_, refused := b.allow("other", 100, 0)
				require.Empty(t, refused, "another session has its own")
				return
			}
			at.at = at.at.Add(c.after)
			require.Empty(t, ask())
		})
	}
}

// AD-5: what a question really cost takes the place of the estimate; what was asked before a restart counts.
func TestBoundsCountWhatWasSpent(t *testing.T) {
	settings, at := generous(), &clock{time.Unix(1e9, 0)}
	settings.TokensPerDay = 1000
	b := newBounds(settings, at.now)
	first, refused := b.allow("s", 900, 0)
	require.Empty(t, refused)
	_, refused = b.allow("s", 200, 0)
	require.Equal(t, overTokens, refused, "questions at the same time share the bound")
	b.settle(first, 100, 0, nil)
	_, refused = b.allow("s", 200, 0)
	require.Empty(t, refused)

	b = newBounds(settings, at.now)
	b.recorded(&sessionevents.OpinionRecorded{Session: "s", Tokens: sessionevents.OpinionTokens{In: 900, Out: 50}}, at.at.Add(-time.Hour))
	b.recorded(&sessionevents.OpinionRecorded{Session: "s", Tokens: sessionevents.OpinionTokens{In: 900, Out: 50}}, at.at.Add(-25*time.Hour))
	_, refused = b.allow("s", 100, 0)
	require.Equal(t, overTokens, refused)
	_, refused = b.allow("s", 50, 0)
	require.Empty(t, refused)
}

// AD-5: a question costs what the price table says of the model that answered, cached tokens at their own price;
// a name that the table does not have costs as the one that was configured.
func TestWhatAQuestionCosts(t *testing.T) {
	settings := generous()
	settings.Model, settings.Prices = "large-2", []string{"large=10/50/1", "small=1/5"}
	a := &asker{settings: settings}
	for _, c := range []struct {
		reply model.Reply
		want  sessionevents.Money
	}{
		{model.Reply{Model: "large-2-0611", In: 1000, Cached: 800, Out: 10}, 200*10 + 800*1 + 10*50},
		{model.Reply{Model: "small-1", In: 1000, Cached: 800, Out: 10}, 1000*1 + 10*5},
		{model.Reply{Model: "renamed", In: 100, Out: 1}, 100*10 + 50},
		{model.Reply{In: 100}, 1000},
		{model.Reply{Model: "large", In: 10, Cached: 20}, 20},
	} {
		require.Equal(t, c.want, a.cost(c.reply), "%+v", c.reply)
	}
	a.settings.Model = "other"
	require.Zero(t, a.cost(model.Reply{Model: "unknown", In: 100}))
}

// AD-5: failures in a row open the circuit for a while; a success in between begins anew.
func TestCircuitBreaker(t *testing.T) {
	settings, at := generous(), &clock{time.Unix(1e9, 0)}
	b := newBounds(settings, at.now)
	ask := func(err error) refusal {
		s, refused := b.allow("s", 1, 0)
		if refused == "" {
			b.settle(s, 1, 0, err)
		}
		return refused
	}
	failed := errors.New("failed")
	for range settings.BreakAfter - 1 {
		require.Empty(t, ask(failed))
	}
	require.Empty(t, ask(nil))
	for range settings.BreakAfter {
		require.Empty(t, ask(failed))
	}
	require.Equal(t, broken, ask(nil))
	require.True(t, b.paused())
	at.at = at.at.Add(settings.BreakFor)
	require.Empty(t, ask(nil))
	require.False(t, b.paused())
}

// AD-5: a full queue drops the oldest and counts it, and nobody who adds to it waits.
func TestAFullQueueDropsTheOldest(t *testing.T) {
	dropped := 0
	q := newQueue(3, func() { dropped++ })
	for n := range 10 {
		q.add(wish{Wish: opinion.Wish{Turn: n}})
	}
	require.Equal(t, 7, dropped)
	for n := 7; n < 10; n++ {
		w, ok := q.next(context.Background())
		require.True(t, ok)
		require.Equal(t, n, w.Turn)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, ok := q.next(ctx)
	require.False(t, ok)
}

// AD-5: what a bound refuses costs nothing: the record of its session is not read for it.
func TestARefusedQuestionReadsNothing(t *testing.T) {
	settings := generous()
	settings.PerSession = 1
	shipped, err := opinion.Load(rules.Default())
	require.NoError(t, err)
	at := &clock{time.Unix(1e9, 0)}
	registry := prometheus.NewRegistry()
	bounds := newBounds(settings, at.now)
	w := &watching{
		advisor: &advisor{
			settings: settings, metrics: obs.NewAdvisorMetrics(registry, []string{string(overSession), string(notFound)}, bounds.paused),
			report: func(error) {}, asker: &asker{settings: settings, bounds: bounds},
		},
		due: opinion.NewDue(shipped, 10),
	}
	w.due.Take(events.Event{Data: &sessionevents.TurnEvaluated{Session: "s", Turn: 1}})
	reads := 0
	read := func(context.Context, string, int) (*opinion.Record, error) {
		reads++
		return nil, errors.New("not found")
	}
	due := wish{Wish: opinion.Wish{Session: "s", From: 1, Turn: 1}}
	w.answer(t.Context(), read, nil, due)
	require.Equal(t, 1, reads, "nothing refuses it")
	_, refused := bounds.allow("s", 1, 0)
	require.Empty(t, refused)
	w.answer(t.Context(), read, nil, due)
	require.Equal(t, 1, reads)
}

// AD-5: as many questions are asked at a time as configured, no more, and all of them in the end.
func TestQuestionsAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const most, questions = 2, 5
		q := newQueue(questions, func() { t.Error("a question was dropped") })
		ctx, cancel := context.WithCancel(t.Context())
		finish := make(chan struct{})
		var running atomic.Int64
		wait := answering(ctx, most, q, func(wish) {
			running.Add(1)
			<-finish
			running.Add(-1)
		})
		for range questions {
			q.add(wish{})
		}
		for left := questions; left > 0; left-- {
			synctest.Wait() // until nothing more begins
			require.Equal(t, int64(min(most, left)), running.Load())
			finish <- struct{}{}
		}
		cancel()
		wait()
		require.Zero(t, running.Load())
	})
}
