package main

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"golang.org/x/sync/errgroup"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/test/workload"
)

// latency publishes at a steady rate and measures from the moment a turn with a
// planted secret is sent to the moment its interrupt is read.
func latency(ctx context.Context, s scale) error {
	const rate = 200
	mix := workload.Mix(5, 100, s.of(40))
	mix.Secret = 0.5
	sessions, _, err := messages(workload.Make(mix))
	if err != nil {
		return err
	}
	return besideAdvisors(ctx, sessions, rate)
}

// advisorRounds is how often each way is measured: they alternate, so that other load on the machine affects
// all of them alike.
const advisorRounds = 3

// besideAdvisors measures without an advisor and beside one that is slow or floods, in turns, and prints the
// ratio of the times: nothing waits for a model (AD-4).
func besideAdvisors(ctx context.Context, sessions [][]*nats.Msg, rate int) error {
	models := []string{"", "slow", "flood"}
	fires := make([][advisorRounds]float64, len(models))
	for round := range advisorRounds {
		for i, model := range models {
			p50, err := latencyBeside(ctx, sessions, rate, model)
			if err != nil {
				return err
			}
			fires[i][round] = p50
		}
	}
	for i, model := range models[1:] {
		var ratios [advisorRounds]float64
		for round := range advisorRounds {
			ratios[round] = fires[i+1][round] / fires[0][round]
		}
		slices.Sort(ratios[:])
		fmt.Printf("  %s beside none, in turns: %.2f times at p50 (%.2f to %.2f in %d rounds)\n",
			model, ratios[advisorRounds/2], ratios[0], ratios[advisorRounds-1], advisorRounds)
	}
	return nil
}

// latencyBeside measures once, beside an advisor whose model behaves in a way; "" is none. It returns the
// median from a turn to its interrupt, in milliseconds.
func latencyBeside(ctx context.Context, sessions [][]*nats.Msg, rate int, model string) (float64, error) {
	p, err := startPipeline(ctx, func(c *config.Config) {
		if model != "" {
			c.Advisor.Provider, c.Advisor.Model, c.Advisor.Timeout = config.AdvisorMock, model, time.Second
		}
	})
	if err != nil {
		return 0, err
	}
	defer p.stop()
	bare, err := steady(ctx, p, sessions, rate)
	if err != nil {
		return 0, err
	}
	beside := "without an advisor"
	if model != "" {
		beside = "beside an advisor, " + model
	}
	fmt.Printf("  %s: acknowledged by INPUT (baseline): p50 %.1f ms, p99 %.1f ms\n", beside, ms(bare.acks, 50), ms(bare.acks, 99))
	fmt.Printf("    raw turn sent → interrupt read: p50 %.1f ms, p99 %.1f ms (%d interrupts), %.1f times the acknowledgement at p50\n",
		ms(bare.fires, 50), ms(bare.fires, 99), len(bare.fires), ms(bare.fires, 50)/ms(bare.acks, 50))
	return ms(bare.fires, 50), nil
}

type latencies struct{ acks, fires []time.Duration }

func steady(ctx context.Context, p *pipeline, sessions [][]*nats.Msg, rate int) (*latencies, error) {
	reader, err := read.Open(ctx, p.broker, read.Options{Stage: "dispatcher", Partition: natsengine.AllPartitions})
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	var mu sync.Mutex
	sent := map[string]time.Time{}
	result := &latencies{}
	group, gctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		return readDecisions(gctx, reader, len(sessions), func(e events.Event) {
			fired, ok := e.Data.(*sessionevents.InterruptFired)
			if !ok || fired.UrgencyLabel == fired.Urgency.String() {
				return // what waited for a pause tells nothing of latency
			}
			mu.Lock()
			defer mu.Unlock()
			result.fires = append(result.fires, time.Since(sent[fmt.Sprintf("%s-t%05d", fired.Session, fired.Turn)]))
		})
	})
	group.Go(func() error {
		ticker := time.NewTicker(time.Second / time.Duration(rate))
		defer ticker.Stop()
		sends, sctx := errgroup.WithContext(gctx)
		sends.SetLimit(64)
		for round := range sessions[0] {
			for _, list := range sessions {
				m := list[round]
				<-ticker.C
				sends.Go(func() error {
					began := time.Now()
					mu.Lock()
					sent[m.Header["ce-id"][0]] = began
					mu.Unlock()
					_, err := p.js.PublishMsg(sctx, m)
					mu.Lock()
					result.acks = append(result.acks, time.Since(began))
					mu.Unlock()
					return err
				})
			}
		}
		return sends.Wait()
	})
	return result, group.Wait()
}

func ms(list []time.Duration, percent int) float64 {
	if len(list) == 0 {
		return 0
	}
	sort.Slice(list, func(i, j int) bool { return list[i] < list[j] })
	return float64(list[(len(list)-1)*percent/100].Microseconds()) / 1000
}
