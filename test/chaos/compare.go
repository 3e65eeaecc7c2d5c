package main

import (
	"bytes"
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/link"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/control"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// shown is how many of the messages that are not accepted are printed.
const shown = 5

// refused counts messages that a reader does not accept.
type refused struct{ count atomic.Int64 }

func (r *refused) Skipped(stream string, partition int, reason string, sequence uint64) {
	if r.count.Add(1) <= shown {
		fmt.Printf("chaos: %s %d (partition %d) not accepted: %s\n", stream, sequence, partition, reason)
	}
}

// compare waits until everything is decided, compares it with the pure model, and replays it.
func compare(ctx context.Context, url string, work work, p plan) (int, error) {
	nc, err := nats.Connect(ctx, nats.ConnectOptions{URL: url, Name: "compare"})
	if err != nil {
		return 0, err
	}
	defer nc.Close()
	skipped := &refused{}
	broker, err := nats.Open(nc, link.Topology(settings(url)), nats.Keys{}, skipped)
	if err != nil {
		return 0, err
	}
	patience := 60 * time.Second
	if p.cluster {
		patience = 4 * time.Minute // for what a lost quorum delayed
	}
	if p.noFence {
		patience = 20 * time.Second // without the fence it may never finish
	}
	wrong := 0
	if err := await(ctx, broker, work, patience); err != nil {
		fmt.Println("chaos:", err)
		wrong++
	}
	var recorded map[string][]events.Event
	if p.advisor {
		if recorded, err = awaitOpinions(ctx, broker, patience); err != nil {
			return wrong, err
		}
	}
	skipped.count.Store(0)
	got := map[string][]events.Event{}
	for _, stage := range link.Stages {
		err := read.All(ctx, broker, read.Options{Stage: stage, Partition: nats.AllPartitions}, func(a read.Accepted) error {
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
		fmt.Printf("chaos: %d messages belong to no valid batch\n", n)
		wrong += n
	}
	wrong += agreeControl(ctx, broker, patience)
	d, err := differ(work, got, recorded)
	fmt.Printf("chaos: %d derived events, %d interrupts fired, %d breaks, %d differences from the model, %d not accepted\n", d.total, d.fired, d.breaks, d.differences, skipped.count.Load())
	if err != nil {
		return wrong, err
	}
	skipped.count.Store(shown) // the replay reads them again
	differ, err := replay(ctx, broker)
	return wrong + d.differences + differ, err
}

// agreeControl waits until CONTROL agrees with DECISIONS (EV-8) and returns the number of keys that do not.
func agreeControl(ctx context.Context, broker *nats.Broker, patience time.Duration) int {
	deadline := time.Now().Add(patience)
	for {
		different, err := control.Check(ctx, broker)
		switch {
		case err == nil && len(different) == 0:
			return 0
		case time.Now().After(deadline) || ctx.Err() != nil:
			fmt.Printf("chaos: CONTROL does not agree with DECISIONS: %q %v\n", different, err)
			return max(len(different), 1)
		}
		time.Sleep(200 * time.Millisecond)
	}
}

// await returns once the closing of every session and the end of every run has been decided.
func await(ctx context.Context, broker *nats.Broker, work work, patience time.Duration) error {
	deadline := time.Now().Add(patience)
	wantClosed, wantEnded := work.count(sessionevents.TypeSessionClosed), work.count(runevents.TypeRunCompleted)
	filters := []string{"decisions." + subjects.FleetFilter(sessionevents.TypeSessionClosed), subjects.FleetFilter(runevents.TypeRunEvaluated)}
	for {
		closed, ended := 0, 0
		err := read.All(ctx, broker, read.Options{Stage: "dispatcher", Partition: nats.AllPartitions, Filters: filters}, func(a read.Accepted) error {
			switch d := a.Input.Event.Data.(type) {
			case *sessionevents.SessionClosed:
				closed++
			case *runevents.RunEvaluated:
				if d.EventType == runevents.TypeRunCompleted {
					ended++
				}
			}
			return nil
		})
		if err == nil && closed >= wantClosed && ended >= wantEnded {
			return nil
		}
		if time.Now().After(deadline) || ctx.Err() != nil {
			return fmt.Errorf("%d of %d sessions and %d of %d runs were decided to their end: %w", closed, wantClosed, ended, wantEnded, err)
		}
		time.Sleep(200 * time.Millisecond)
	}
}

// found summarizes a comparison.
type found struct{ differences, total, fired, breaks int }

// differ runs the pure model over the same sessions and runs, with the opinions that were recorded.
func differ(work work, got, recorded map[string][]events.Event) (found, error) {
	var f found
	core, err := machines.New(machines.Options{Rules: rules.Default()})
	if err != nil {
		return f, err
	}
	for _, list := range work.lists() {
		chain := core.Chain()
		group := list[0].Group()
		if all := recorded[group]; all != nil {
			if list, err = between(list, all); err != nil {
				return f, fmt.Errorf("%s: %w", group, err)
			}
		}
		var want []events.Event
		for _, e := range list {
			want = append(want, ofGroup(chain.Feed(e), group)...)
		}
		have := ofGroup(got[group], group)
		f.total += len(have)
		f.differences += f.count(group, have)
		if recorded != nil {
			want, have = timeless(want), timeless(have)
		}
		if n, why := compareSession(want, have); n > 0 {
			f.differences += n
			fmt.Printf("chaos: %s: %s\n", group, why)
		}
	}
	return f, nil
}

// count records what was said, and returns how many breaks too many a run has.
func (f *found) count(group string, have []events.Event) (tooMany int) {
	broken := map[runevents.BreakTrigger]bool{}
	for _, e := range have {
		switch d := e.Data.(type) {
		case *sessionevents.InterruptFired:
			f.fired++
		case *runevents.WiggumBreak:
			f.breaks++
			if broken[d.Trigger] {
				fmt.Printf("chaos: %s breaks for %s again\n", group, d.Trigger)
				tooMany++
			}
			broken[d.Trigger] = true
		}
	}
	return tooMany
}

// ofGroup returns the events of a group as the model produces them: the time at which a timer is due counts
// from when the broker recorded its cause (EV-9).
func ofGroup(list []events.Event, group string) []events.Event {
	var kept []events.Event
	for _, e := range list {
		if e.Group() == group && e.Type != events.TypeTimerSet {
			kept = append(kept, e)
		}
	}
	return kept
}

// compareSession counts differing events and describes the first.
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
