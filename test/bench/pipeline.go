package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/link"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service/system"
	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/embedded"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
	"github.com/scaffoldwatch/scaffoldwatch/test/workload"
)

// publishers send at the same time, as many agents would.
const publishers = 16

// pipeline is a running system with a connection.
type pipeline struct {
	system *system.System
	nc     *nats.Conn
	js     jetstream.JetStream
	broker *natsengine.Broker
	folder string
}

// startPipeline runs everything, every write synced.
func startPipeline(ctx context.Context, change ...func(*config.Config)) (*pipeline, error) {
	folder, err := os.MkdirTemp("", "scaffoldwatch-bench-")
	if err != nil {
		return nil, fmt.Errorf("make a directory: %w", err)
	}
	settings := config.Default()
	settings.HTTP.Address = ""
	for _, f := range change {
		f(&settings)
	}
	system, err := system.Start(ctx, system.Options{Config: settings, Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Data: folder})
	if err != nil {
		return nil, err
	}
	nc, err := natsengine.Connect(ctx, natsengine.ConnectOptions{Server: system.Server(), Name: "bench"})
	if err != nil {
		return nil, err
	}
	js, err := natsengine.JetStream(nc)
	if err != nil {
		return nil, err
	}
	broker, err := natsengine.Open(nc, link.Topology(settings), natsengine.Keys{}, nil)
	return &pipeline{system: system, nc: nc, js: js, broker: broker, folder: folder}, err
}

func (p *pipeline) stop() {
	p.nc.Close()
	_ = p.system.Stop()
	_ = os.RemoveAll(p.folder)
}

// messages returns a workload's events as they are published, session by session.
func messages(work workload.Work) ([][]*nats.Msg, int, error) {
	var all [][]*nats.Msg
	turns := 0
	for _, session := range work.Sessions {
		var list []*nats.Msg
		for _, e := range session {
			subject, err := subjects.PublishedSubject(e)
			if err != nil {
				return nil, 0, err
			}
			header, data, err := events.EncodeBinary(e)
			if err != nil {
				return nil, 0, err
			}
			list = append(list, &nats.Msg{Subject: subject, Header: header, Data: data})
			if e.Type == sessionevents.TypeTurnRaw {
				turns++
			}
		}
		all = append(all, list)
	}
	return all, turns, nil
}

// publishAll sends the sessions from several publishers, each session in order.
func publishAll(ctx context.Context, js jetstream.JetStream, sessions [][]*nats.Msg, subject func(*nats.Msg) string) error {
	next := make(chan []*nats.Msg)
	group, ctx := errgroup.WithContext(ctx)
	for range publishers {
		group.Go(func() error {
			for list := range next {
				for _, m := range list {
					copied := &nats.Msg{Subject: subject(m), Header: m.Header, Data: m.Data}
					if _, err := js.PublishMsg(ctx, copied); err != nil {
						return fmt.Errorf("publish: %w", err)
					}
				}
			}
			return nil
		})
	}
	for _, list := range sessions {
		select {
		case next <- list:
		case <-ctx.Done():
		}
	}
	close(next)
	return group.Wait()
}

// throughput publishes a workload as fast as possible and waits for the last decision; before that, the
// same messages pass three bare hops.
func throughput(ctx context.Context, s scale) error {
	work := workload.Make(workload.Mix(4, 64, s.of(60)))
	sessions, turns, err := messages(work)
	if err != nil {
		return err
	}
	bare, err := bareChain(ctx, sessions)
	if err != nil {
		return err
	}
	p, err := startPipeline(ctx)
	if err != nil {
		return err
	}
	defer p.stop()
	reader, err := read.Open(ctx, p.broker, read.Options{Stage: "dispatcher", Partition: natsengine.AllPartitions})
	if err != nil {
		return err
	}
	defer reader.Close()
	began := time.Now()
	group, gctx := errgroup.WithContext(ctx)
	group.Go(func() error { return publishAll(gctx, p.js, sessions, func(m *nats.Msg) string { return m.Subject }) })
	group.Go(func() error { return readDecisions(gctx, reader, len(sessions), func(events.Event) {}) })
	if err := group.Wait(); err != nil {
		return err
	}
	whole := time.Since(began)
	fmt.Printf("  baseline, three bare hops (consume, publish, ack), sync always: %.0f messages/s\n", float64(turns)/bare.Seconds())
	fmt.Printf("  the whole pipeline, sync always: %.0f turns/s, %.2f of the baseline\n", float64(turns)/whole.Seconds(), bare.Seconds()/whole.Seconds())
	return nil
}

// bareChain moves the same payloads through INPUT → two copies by plain durable consumers, publishing and
// acknowledging each message separately.
func bareChain(ctx context.Context, sessions [][]*nats.Msg) (time.Duration, error) {
	folder, err := os.MkdirTemp("", "scaffoldwatch-bench-")
	if err != nil {
		return 0, fmt.Errorf("make a directory: %w", err)
	}
	defer os.RemoveAll(folder)
	server, err := embedded.Start(embedded.Options{Dir: folder})
	if err != nil {
		return 0, err
	}
	defer func() { _ = server.Shutdown() }()
	nc, err := natsengine.Connect(ctx, natsengine.ConnectOptions{Server: server, Name: "bare"})
	if err != nil {
		return 0, err
	}
	defer nc.Close()
	js, err := natsengine.JetStream(nc)
	if err != nil {
		return 0, err
	}
	total := 0
	for _, list := range sessions {
		total += len(list)
	}
	for _, name := range []string{"HOP1", "HOP2", "HOP3", "HOP4"} {
		if _, err := js.CreateStream(ctx, jetstream.StreamConfig{Name: name, Subjects: []string{name + ".>"}, Storage: jetstream.FileStorage}); err != nil {
			return 0, fmt.Errorf("create %s: %w", name, err)
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var done sync.WaitGroup
	done.Add(total)
	for _, hop := range [][2]string{{"HOP1", "HOP2"}, {"HOP2", "HOP3"}, {"HOP3", "HOP4"}} {
		consumer, err := js.CreateConsumer(ctx, hop[0], jetstream.ConsumerConfig{Durable: "d", AckPolicy: jetstream.AckExplicitPolicy, MaxAckPending: 1000})
		if err != nil {
			return 0, fmt.Errorf("consume %s: %w", hop[0], err)
		}
		running, err := consumer.Consume(func(m jetstream.Msg) {
			out := &nats.Msg{Subject: hop[1] + ".x", Header: m.Headers(), Data: m.Data()}
			if _, err := js.PublishMsg(ctx, out); err != nil {
				return
			}
			_ = m.Ack()
			if hop[1] == "HOP4" {
				done.Done()
			}
		})
		if err != nil {
			return 0, fmt.Errorf("consume %s: %w", hop[0], err)
		}
		defer running.Stop()
	}
	began := time.Now()
	if err := publishAll(ctx, js, sessions, func(*nats.Msg) string { return "HOP1.x" }); err != nil {
		return 0, err
	}
	done.Wait()
	return time.Since(began), nil
}

// readDecisions passes each decision to see until the given number of sessions are closed.
func readDecisions(ctx context.Context, reader *read.Reader, sessions int, see func(events.Event)) error {
	for closed := 0; closed < sessions; {
		a, err := reader.Next(ctx)
		if err != nil {
			return err
		}
		if a.Idle {
			continue
		}
		see(a.Input.Event)
		if a.Input.Event.Type == sessionevents.TypeSessionClosed {
			closed++
		}
	}
	return nil
}
