package main

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/test/workload"
)

// A fleet's sessions grow for so many turns, unmeasured, before the measured ones.
const (
	grownTurns    = 8
	measuredTurns = 3
	fewSessions   = 100
	fewBatches    = 20       // one after another, longer than a burst
	liveState     = 45 << 10 // bytes of a session's states after these turns
)

// liveSessions measures throughput while ever more sessions are live at the same
// time, each sending a turn in turn: the worst order for a cache. Each number of
// sessions is measured with the memory for states that this machine gives, and with
// a quarter of what they need, between two runs of a few sessions, so that what else the
// machine does weighs on both. A short run has a tenth of the sessions.
func liveSessions(ctx context.Context, s scale) error {
	for _, sessions := range []int{2_000, 10_000} {
		n := s.of(sessions)
		for _, memory := range []int64{0, max(int64(n)*liveState/4, 1<<20)} {
			few, err := liveRate(ctx, fewSessions, fewBatches, 0)
			if err != nil {
				return err
			}
			many, err := liveRate(ctx, n, 1, memory)
			if err != nil {
				return err
			}
			after, err := liveRate(ctx, fewSessions, fewBatches, 0)
			if err != nil {
				return err
			}
			baseline := (few + after) / 2
			given := "default memory for states"
			if memory > 0 {
				given = fmt.Sprintf("a quarter of the memory (%d MiB)", memory>>20)
			}
			fmt.Printf("  %d sessions, %s: %.0f turns/s, %.2f of %d sessions (%.0f before, %.0f after)\n",
				n, given, many, many/baseline, fewSessions, few, after)
		}
	}
	return nil
}

// liveRate returns the turns per second of the measured rounds, over batches of sessions
// that are live at the same time.
func liveRate(ctx context.Context, sessions, batches int, memory int64) (float64, error) {
	templates, _, err := messages(workload.Make(workload.Mix(6, min(sessions, fewSessions), grownTurns+measuredTurns)))
	if err != nil {
		return 0, err
	}
	p, err := startPipeline(ctx, func(c *config.Config) { c.Stage.StateBytes = memory })
	if err != nil {
		return 0, err
	}
	defer p.stop()
	reader, err := read.Open(ctx, p.broker, read.Options{Stage: "dispatcher", Partition: natsengine.AllPartitions})
	if err != nil {
		return 0, err
	}
	defer reader.Close()
	var took time.Duration
	for i := range batches {
		live := fleet{templates, i * sessions, sessions}
		if err := live.rounds(ctx, p.js, reader, 0, grownTurns); err != nil {
			return 0, err
		}
		began := time.Now()
		if err := live.rounds(ctx, p.js, reader, grownTurns, measuredTurns); err != nil {
			return 0, err
		}
		took += time.Since(began)
	}
	return float64(batches*sessions*measuredTurns) / took.Seconds(), nil
}

// fleet is a number of sessions from a first one on, made from templates.
type fleet struct {
	templates       [][]*nats.Msg
	first, sessions int
}

// rounds sends some turns of every session, one of each before the next, and waits
// until all are evaluated.
func (f fleet) rounds(ctx context.Context, js jetstream.JetStream, reader *read.Reader, first, turns int) error {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		return evaluated(ctx, reader, f.sessions*turns)
	})
	for publisher := range publishers {
		group.Go(func() error {
			for round := range turns {
				for i := publisher; i < f.sessions; i += publishers {
					m := copyOf(f.templates[i%len(f.templates)][1+first+round], f.first+i)
					if _, err := js.PublishMsg(ctx, m); err != nil {
						return fmt.Errorf("publish: %w", err)
					}
				}
			}
			return nil
		})
	}
	return group.Wait()
}

// copyOf returns a message of a template as the i-th session sends it.
func copyOf(m *nats.Msg, i int) *nats.Msg {
	return copyTo(m, m.Subject[strings.LastIndexByte(m.Subject, '.')+1:], fmt.Sprintf("live-%d", i))
}

// copyTo returns a message of another session.
func copyTo(m *nats.Msg, old, session string) *nats.Msg {
	out := &nats.Msg{Subject: strings.ReplaceAll(m.Subject, old, session), Header: nats.Header{}, Data: bytes.ReplaceAll(m.Data, []byte(old), []byte(session))}
	for name, values := range m.Header {
		out.Header[name] = []string{strings.ReplaceAll(values[0], old, session)}
	}
	return out
}

// evaluated reads decisions until so many turns are evaluated.
func evaluated(ctx context.Context, reader *read.Reader, turns int) error {
	for seen := 0; seen < turns; {
		a, err := reader.Next(ctx)
		if err != nil {
			return err
		}
		if !a.Idle && a.Input.Event.Type == sessionevents.TypeTurnEvaluated {
			seen++
		}
	}
	return nil
}
