package main

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	natssource "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/source"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sessionreport"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
	"github.com/scaffoldwatch/scaffoldwatch/test/workload"
)

// replay records a workload, then reads it again in four ways. The baseline is an ordered consumer that
// examines nothing.
func replay(ctx context.Context, s scale) error {
	mix := workload.Mix(6, 64, s.of(150))
	mix.MedianBytes, mix.P90Bytes = 1500, 6000
	sessions, _, err := messages(workload.Make(mix))
	if err != nil {
		return err
	}
	p, err := startPipeline(ctx)
	if err != nil {
		return err
	}
	defer p.stop()
	if err := record(ctx, p, sessions); err != nil {
		return err
	}
	// As the services run: ingest's timers depend on the timeout.
	core, err := machines.New(machines.Options{Rules: rules.Default(), IdleTimeout: config.Default().Session.IdleTimeout})
	if err != nil {
		return err
	}
	n, took, err := bareRead(ctx, p.js, string(events.StreamDecisions))
	if err != nil {
		return err
	}
	base := float64(n) / took.Seconds()
	fmt.Printf("  baseline, ordered read of DECISIONS that looks at nothing: %.0f messages/s\n", base)

	n, took, err = acceptedRead(ctx, p.broker)
	if err != nil {
		return err
	}
	fmt.Printf("  reports folded from DECISIONS, every batch's digest checked: %.0f events/s, %.2f of the baseline\n", float64(n)/took.Seconds(), float64(n)/took.Seconds()/base)
	if err := derive(ctx, p, core, "dispatcher", core.Dispatch, base); err != nil {
		return err
	}
	if err := derive(ctx, p, core, "evaluator", core.Evaluate, base); err != nil {
		return err
	}
	return derive(ctx, p, core, "ingest", core.Ingest, base)
}

func record(ctx context.Context, p *pipeline, sessions [][]*nats.Msg) error {
	if err := publishAll(ctx, p.js, sessions, func(m *nats.Msg) string { return m.Subject }); err != nil {
		return err
	}
	reader, err := read.Open(ctx, p.broker, read.Options{Stage: "dispatcher", Partition: natsengine.AllPartitions})
	if err != nil {
		return err
	}
	defer reader.Close()
	return readDecisions(ctx, reader, len(sessions), func(events.Event) {})
}

// derive folds a recorded source again and compares with what was written.
func derive[S any](ctx context.Context, p *pipeline, core *machines.Core, name string, machine step.Machine[S], base float64) error {
	recording, err := natssource.Recording(ctx, p.broker, name)
	if err != nil {
		return err
	}
	source, err := p.js.Stream(ctx, string(subjects.SourceOf(name)))
	if err != nil {
		return err
	}
	inputs := source.CachedInfo().State.Msgs
	cpu, began := processTime(), time.Now()
	if err := engine.Replay(ctx, machine, core.Identity, recording, engine.Options{}); err != nil {
		return fmt.Errorf("replay the %s: %w", name, err)
	}
	rate, used := float64(inputs)/time.Since(began).Seconds(), processTime()-cpu
	fmt.Printf("  %s folded again and compared, byte for byte: %.0f inputs/s, %.2f of the baseline; %.0f µs of processor time an input, the broker's included\n",
		name, rate, rate/base, used.Seconds()*1e6/float64(inputs))
	return nil
}

func acceptedRead(ctx context.Context, broker *natsengine.Broker) (int, time.Duration, error) {
	n, reports := 0, sessionreport.NewSet()
	began := time.Now()
	err := read.All(ctx, broker, read.Options{Stage: "dispatcher", Partition: natsengine.AllPartitions}, func(a read.Accepted) error {
		n++
		reports.Apply(a.Input.Event)
		return nil
	})
	return n, time.Since(began), err
}

func bareRead(ctx context.Context, js jetstream.JetStream, stream string) (int, time.Duration, error) {
	s, err := js.Stream(ctx, stream)
	if err != nil {
		return 0, 0, err
	}
	last := s.CachedInfo().State.LastSeq
	consumer, err := js.OrderedConsumer(ctx, stream, jetstream.OrderedConsumerConfig{})
	if err != nil {
		return 0, 0, err
	}
	messages, err := consumer.Messages()
	if err != nil {
		return 0, 0, err
	}
	defer messages.Stop()
	began := time.Now()
	for n := 1; ; n++ {
		m, err := messages.Next()
		if err != nil {
			return n, 0, err
		}
		if meta, err := m.Metadata(); err == nil && meta.Sequence.Stream >= last {
			return n, time.Since(began), nil
		}
	}
}
