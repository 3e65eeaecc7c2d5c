package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"

	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// publish sends every session and run, side by side, at a pace that lasts through
// the kills. Nothing carries a message id, so that no window of the broker hides
// a duplicate: a tenth is sent twice on purpose, and every retry may be one more.
func publish(ctx context.Context, url string, work work, p plan) error {
	nc, err := natsengine.Connect(ctx, natsengine.ConnectOptions{URL: url, Name: "publisher"})
	if err != nil {
		return err
	}
	defer nc.Close()
	js, err := natsengine.JetStream(nc)
	if err != nil {
		return err
	}
	var group errgroup.Group
	lists := work.lists()
	for n := range publishers {
		group.Go(func() error {
			var some [][]events.Event
			for i := n; i < len(lists); i += publishers {
				some = append(some, lists[i])
			}
			return pace(ctx, js, some, len(work.sessions[0]), rand.New(rand.NewPCG(p.seed, uint64(n))), p)
		})
	}
	return group.Wait()
}

// publishers send at the same time, each its own lists.
const publishers = 4

// pace sends lists side by side, in so many rounds.
func pace(ctx context.Context, js jetstream.JetStream, lists [][]events.Event, rounds int, random *rand.Rand, p plan) error {
	pause := time.Duration(p.kills) * p.every / time.Duration(rounds)
	for round := range rounds {
		for _, list := range lists {
			for _, e := range list[len(list)*round/rounds : len(list)*(round+1)/rounds] {
				copies := 1
				if random.IntN(10) == 0 {
					copies = 2
				}
				for range copies {
					if err := send(ctx, js, e, p); err != nil {
						return err
					}
				}
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
	return nil
}

// send retries until the stream has acknowledged.
func send(ctx context.Context, js jetstream.JetStream, e events.Event, p plan) error {
	subject, err := subjects.PublishedSubject(e)
	if err != nil {
		return fmt.Errorf("address %s: %w", e.ID, err)
	}
	header, data, err := events.EncodeBinary(e)
	if err != nil {
		return fmt.Errorf("encode %s: %w", e.ID, err)
	}
	for {
		attempt, cancel := context.WithTimeout(ctx, p.attempt())
		_, err := js.PublishMsg(attempt, &nats.Msg{Subject: subject, Header: header, Data: data})
		cancel()
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("publish %s: %w", e.ID, err)
		}
		time.Sleep(5 * time.Millisecond)
	}
}
