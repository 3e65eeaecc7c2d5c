package main

import (
	"bytes"
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/app"
	"github.com/scaffoldwatch/scaffoldwatch/internal/natsio"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
	"github.com/scaffoldwatch/scaffoldwatch/test/workload"
)

// refused counts messages that a reader does not accept.
type refused struct{ count atomic.Int64 }

func (r *refused) Skipped(stream string, partition int, reason string, sequence uint64) {
	if r.count.Add(1) <= 5 {
		fmt.Printf("chaos: %s %d (partition %d) not accepted: %s\n", stream, sequence, partition, reason)
	}
}

// compare waits until everything is decided and holds it against the pure model.
func compare(ctx context.Context, url string, work workload.Work, p plan) (int, error) {
	nc, err := natsio.Connect(ctx, natsio.ConnectOptions{URL: url, Name: "compare"})
	if err != nil {
		return 0, err
	}
	defer nc.Close()
	skipped := &refused{}
	broker, err := natsio.Open(nc, app.Topology(settings(url)), natsio.Keys{}, skipped)
	if err != nil {
		return 0, err
	}
	patience := 60 * time.Second
	if p.noFence {
		patience = 20 * time.Second // without the fence it may never come to an end
	}
	wrong := 0
	if err := await(ctx, broker, len(work.Sessions), patience); err != nil {
		fmt.Println("chaos:", err)
		wrong++
	}
	skipped.count.Store(0)
	got := map[string][]events.Event{}
	for _, stage := range app.Stages {
		err := broker.ReadAll(ctx, natsio.ReaderOptions{Stage: stage, Partition: natsio.AllPartitions}, func(a natsio.Accepted) error {
			if stage == "dispatcher" {
				got[a.Input.Event.Group()] = append(got[a.Input.Event.Group()], a.Input.Event)
			}
			return nil
		})
		if err != nil {
			return wrong, err
		}
	}
	if n := int(skipped.count.Load()); n > 0 {
		fmt.Printf("chaos: %d messages lie in no valid batch\n", n)
		wrong += n
	}
	differences, total, fired, err := differ(work, got)
	fmt.Printf("chaos: %d derived events, %d interrupts fired, %d differences from the model, %d not accepted\n", total, fired, differences, skipped.count.Load())
	return wrong + differences, err
}

// await returns once every session's closing has been decided.
func await(ctx context.Context, broker *natsio.Broker, sessions int, patience time.Duration) error {
	deadline := time.Now().Add(patience)
	for {
		closed := 0
		err := broker.ReadAll(ctx, natsio.ReaderOptions{
			Stage: "dispatcher", Partition: natsio.AllPartitions, Filters: []string{"decisions." + events.FleetFilter(events.TypeSessionClosed)},
		}, func(natsio.Accepted) error { closed++; return nil })
		if err == nil && closed >= sessions {
			return nil
		}
		if time.Now().After(deadline) || ctx.Err() != nil {
			return fmt.Errorf("%d of %d sessions were decided to their end: %w", closed, sessions, err)
		}
		time.Sleep(200 * time.Millisecond)
	}
}

// differ runs the pure model over the same sessions.
func differ(work workload.Work, got map[string][]events.Event) (differences, total, fired int, err error) {
	core, err := app.NewCore(app.CoreOptions{Rules: rules.Default()})
	if err != nil {
		return 0, 0, 0, err
	}
	for _, session := range work.Sessions {
		chain := core.Chain()
		var want []events.Event
		for _, e := range session {
			want = append(want, chain.Feed(e)...)
		}
		have := got[session[0].Subject]
		total += len(have)
		for _, e := range have {
			if e.Type == events.TypeInterruptFired {
				fired++
			}
		}
		if n, why := compareSession(want, have); n > 0 {
			differences += n
			fmt.Printf("chaos: %s: %s\n", session[0].Subject, why)
		}
	}
	return differences, total, fired, nil
}

// compareSession counts differing events and words the first.
func compareSession(want, have []events.Event) (int, string) {
	count, first := 0, ""
	note := func(format string, args ...any) {
		count++
		if first == "" {
			first = fmt.Sprintf(format, args...)
		}
	}
	for i := range max(len(want), len(have)) {
		switch {
		case i >= len(have):
			note("event %d (%s) is missing", i, want[i].Type)
		case i >= len(want):
			note("event %d (%s) is one too many", i, have[i].Type)
		default:
			a, err1 := events.MarshalStructured(want[i])
			b, err2 := events.MarshalStructured(have[i])
			if err1 != nil || err2 != nil || !bytes.Equal(a, b) {
				note("event %d differs:\n  want %.300s\n  have %.300s", i, a, b)
			}
		}
	}
	return count, first
}
