package main

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	gateservice "github.com/scaffoldwatch/scaffoldwatch/internal/edge/service/gates"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	"github.com/scaffoldwatch/scaffoldwatch/test/workload"
)

// gateQuestions is how many times a gate is asked each way.
const gateQuestions = 500

// gates measures how long an orchestrator waits for a gate on a whole running
// system, every write synced: by pkg/client and by the gate service, one question
// after the other, then eight at a time, then while turns come in. The baseline is
// the acknowledgement of a fact by INPUT.
func gates(ctx context.Context, s scale) error {
	p, err := startPipeline(ctx)
	if err != nil {
		return err
	}
	defer p.stop()
	runs, err := client.NewRuns(p.nc, client.RunOptions{Source: "/bench", Patience: time.Minute})
	if err != nil {
		return err
	}
	defer func() { _ = runs.Close() }()
	g := &gateBench{pipeline: p, runs: runs, many: s.of(gateQuestions)}
	for i := range 8 {
		if err := g.begin(ctx, i); err != nil {
			return err
		}
	}
	acks, err := g.ask(ctx, 1, g.fact)
	if err != nil {
		return err
	}
	fmt.Printf("  a fact acknowledged by INPUT (baseline): p50 %.1f ms, p99 %.1f ms\n", ms(acks, 50), ms(acks, 99))
	if err := g.measure(ctx, "", acks); err != nil {
		return err
	}
	return g.underLoad(ctx, acks)
}

type gateBench struct {
	*pipeline
	runs *client.Runs
	many int
}

func gateRun(i int) string { return fmt.Sprintf("bench-gate-%d", i) }

// begin opens a run whose gates have a layer that answers them.
func (g *gateBench) begin(ctx context.Context, i int) error {
	run, err := g.runs.Run(gateRun(i))
	if err != nil {
		return err
	}
	_, err = run.Do(ctx, runevents.RunStarted{Kind: "pipeline", Workflow: "standard", Goal: "bench"})
	return err
}

var gateAsked = runevents.GateRequested{
	Actor: runevents.Actor{Kind: runevents.ActorOrchestrator}, Gate: runevents.GateNextPhase, Phase: "discovery",
}

func (g *gateBench) fact(ctx context.Context, run string) error {
	r, err := g.runs.Run(run)
	if err != nil {
		return err
	}
	_, err = r.Tell(ctx, runevents.TaskCompleted{Task: "bench", Outcome: runevents.RunOutcomeSuccess})
	return err
}

func (g *gateBench) byClient(ctx context.Context, run string) error {
	r, err := g.runs.Run(run)
	if err != nil {
		return err
	}
	_, err = r.Gate(ctx, gateAsked)
	return err
}

func (g *gateBench) byService(ctx context.Context, run string) error {
	question, err := json.Marshal(gateservice.Question{Run: run, GateRequested: gateAsked})
	if err != nil {
		return err
	}
	msg, err := g.nc.RequestWithContext(ctx, gateservice.Subject, question)
	if err != nil {
		return err
	}
	var answer runevents.GateDecided
	if err := json.Unmarshal(msg.Data, &answer); err != nil {
		return err
	}
	if answer.Rule == client.RuleFailClosed {
		return fmt.Errorf("the gate service did not answer: %s", answer.Why)
	}
	return nil
}

// ask sends that many requests at a time, each about a run of its own.
func (g *gateBench) ask(ctx context.Context, atOnce int, ask func(context.Context, string) error) ([]time.Duration, error) {
	var mu sync.Mutex
	var took []time.Duration
	group, ctx := errgroup.WithContext(ctx)
	for i := range atOnce {
		group.Go(func() error {
			for range max(g.many/atOnce, 1) {
				began := time.Now()
				if err := ask(ctx, gateRun(i)); err != nil {
					return err
				}
				mu.Lock()
				took = append(took, time.Since(began))
				mu.Unlock()
			}
			return nil
		})
	}
	return took, group.Wait()
}

func (g *gateBench) measure(ctx context.Context, while string, acks []time.Duration) error {
	for _, way := range []struct {
		name string
		ask  func(context.Context, string) error
	}{{"pkg/client", g.byClient}, {"gate.request", g.byService}} {
		for _, atOnce := range []int{1, 8} {
			took, err := g.ask(ctx, atOnce, way.ask)
			if err != nil {
				return err
			}
			fmt.Printf("  %-12s %d at a time%s: p50 %.1f ms, p99 %.1f ms (%d gates), %.1f times the acknowledgement at p50\n",
				way.name, atOnce, while, ms(took, 50), ms(took, 99), len(took), ms(took, 50)/ms(acks, 50))
		}
	}
	return nil
}

// underLoad measures while turns come in at a steady rate.
func (g *gateBench) underLoad(ctx context.Context, acks []time.Duration) error {
	const rate = 100
	sessions, _, err := messages(workload.Make(workload.Mix(6, 100, 100)))
	if err != nil {
		return err
	}
	loading, stop := context.WithCancel(ctx)
	var group errgroup.Group
	group.Go(func() error {
		ticker := time.NewTicker(time.Second / rate)
		defer ticker.Stop()
		for round := range sessions[0] {
			for _, list := range sessions {
				select {
				case <-loading.Done():
					return nil
				case <-ticker.C:
				}
				if _, err := g.js.PublishMsg(ctx, list[round]); err != nil {
					return err
				}
			}
		}
		return nil
	})
	err = g.measure(ctx, fmt.Sprintf(" at %d turns/s", rate), acks)
	stop()
	if failed := group.Wait(); err == nil {
		err = failed
	}
	return err
}
