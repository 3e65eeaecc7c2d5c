package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sort"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"

	"github.com/scaffoldwatch/scaffoldwatch/internal/app"
	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/natsio"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/test/workload"
)

// publishers send at the same time, as many agents would.
const publishers = 16

// pipeline is a running system with a connection.
type pipeline struct {
	system *app.System
	nc     *nats.Conn
	js     jetstream.JetStream
	broker *natsio.Broker
	folder string
}

// startPipeline runs everything, every write synced.
func startPipeline(ctx context.Context) (*pipeline, error) {
	folder, err := os.MkdirTemp("", "scaffoldwatch-bench-")
	if err != nil {
		return nil, fmt.Errorf("make a directory: %w", err)
	}
	settings := config.Default()
	settings.HTTP.Address = ""
	system, err := app.StartSystem(ctx, app.SystemOptions{Config: settings, Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Data: folder})
	if err != nil {
		return nil, err
	}
	nc, err := natsio.Connect(ctx, natsio.ConnectOptions{Server: system.Server(), Name: "bench"})
	if err != nil {
		return nil, err
	}
	js, err := natsio.JetStream(nc)
	if err != nil {
		return nil, err
	}
	broker, err := natsio.Open(nc, app.Topology(settings), natsio.Keys{}, nil)
	return &pipeline{system: system, nc: nc, js: js, broker: broker, folder: folder}, err
}

func (p *pipeline) stop() {
	p.nc.Close()
	_ = p.system.Stop()
	_ = os.RemoveAll(p.folder)
}

// messages are a workload's events as they are published, session by session.
func messages(work workload.Work) ([][]*nats.Msg, int, error) {
	var all [][]*nats.Msg
	turns := 0
	for _, session := range work.Sessions {
		var list []*nats.Msg
		for _, e := range session {
			subject, err := events.PublishedSubject(e)
			if err != nil {
				return nil, 0, err
			}
			header, data, err := events.EncodeBinary(e)
			if err != nil {
				return nil, 0, err
			}
			list = append(list, &nats.Msg{Subject: subject, Header: header, Data: data})
			if e.Type == events.TypeTurnRaw {
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

// throughput publishes a workload as fast as it goes and waits for the last
// decision; before it, the same messages go through three bare hops.
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
	reader, err := p.broker.Reader(ctx, natsio.ReaderOptions{Stage: "dispatcher", Partition: natsio.AllPartitions})
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

// bareChain moves the same payloads through INPUT → two copies by plain durable
// consumers, each message published and acknowledged by itself.
func bareChain(ctx context.Context, sessions [][]*nats.Msg) (time.Duration, error) {
	folder, err := os.MkdirTemp("", "scaffoldwatch-bench-")
	if err != nil {
		return 0, fmt.Errorf("make a directory: %w", err)
	}
	defer os.RemoveAll(folder)
	server, err := natsio.StartServer(natsio.ServerOptions{Dir: folder})
	if err != nil {
		return 0, err
	}
	defer func() { _ = server.Shutdown() }()
	nc, err := natsio.Connect(ctx, natsio.ConnectOptions{Server: server, Name: "bare"})
	if err != nil {
		return 0, err
	}
	defer nc.Close()
	js, err := natsio.JetStream(nc)
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
	p, err := startPipeline(ctx)
	if err != nil {
		return err
	}
	defer p.stop()
	bare, err := steady(ctx, p, sessions, rate)
	if err != nil {
		return err
	}
	fmt.Printf("  acknowledged by INPUT (baseline): p50 %.1f ms, p99 %.1f ms\n", ms(bare.acks, 50), ms(bare.acks, 99))
	fmt.Printf("  raw turn sent → interrupt read: p50 %.1f ms, p99 %.1f ms (%d interrupts), %.1f times the acknowledgement at p50\n",
		ms(bare.fires, 50), ms(bare.fires, 99), len(bare.fires), ms(bare.fires, 50)/ms(bare.acks, 50))
	return nil
}

type latencies struct{ acks, fires []time.Duration }

func steady(ctx context.Context, p *pipeline, sessions [][]*nats.Msg, rate int) (*latencies, error) {
	reader, err := p.broker.Reader(ctx, natsio.ReaderOptions{Stage: "dispatcher", Partition: natsio.AllPartitions})
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
			fired, ok := e.Data.(*events.InterruptFired)
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

// readDecisions gives each decision to see until so many sessions are closed.
func readDecisions(ctx context.Context, reader *natsio.Reader, sessions int, see func(events.Event)) error {
	for closed := 0; closed < sessions; {
		a, err := reader.Next(ctx)
		if err != nil {
			return err
		}
		if a.Idle {
			continue
		}
		see(a.Input.Event)
		if a.Input.Event.Type == events.TypeSessionClosed {
			closed++
		}
	}
	return nil
}

func ms(list []time.Duration, percent int) float64 {
	if len(list) == 0 {
		return 0
	}
	sort.Slice(list, func(i, j int) bool { return list[i] < list[j] })
	return float64(list[(len(list)-1)*percent/100].Microseconds()) / 1000
}
