package nats

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Inspection describes an installation as seen through a connection.
type Inspection struct {
	Version     string // of the server
	RoundTrip   time.Duration
	MaxPayload  int64
	ClockAhead  time.Duration // of this machine, compared with the server
	Replicas    int           // of INPUT
	StoreUsed   uint64        // bytes on disk, of the account
	StoreLimit  int64         // -1: none
	Differences []topology.Difference
	DeadLetters uint64
}

// Inspect reads the state of the server and the streams. It changes nothing.
func (b *Broker) Inspect(ctx context.Context, nc *nats.Conn) (Inspection, error) {
	i := Inspection{Version: nc.ConnectedServerVersion(), MaxPayload: nc.MaxPayload()}
	var err error
	if i.RoundTrip, err = nc.RTT(); err != nil {
		return i, fmt.Errorf("measure the round trip: %w", err)
	}
	account, err := b.js.AccountInfo(ctx)
	if err != nil {
		return i, fmt.Errorf("read the JetStream account (is JetStream on?): %w", err)
	}
	i.StoreUsed, i.StoreLimit = account.Store, account.Limits.MaxStore
	if i.Differences, err = topology.Check(ctx, b.js, b.topology); err != nil {
		return i, err
	}
	before := time.Now()
	if input, err := b.js.Stream(ctx, string(events.StreamInput)); err == nil {
		info := input.CachedInfo()
		i.Replicas = info.Config.Replicas
		middle := before.Add(time.Since(before) / 2)
		i.ClockAhead = middle.Sub(info.TimeStamp)
	}
	if dead, err := b.js.Stream(ctx, string(events.StreamDeadLetter)); err == nil {
		i.DeadLetters = dead.CachedInfo().State.Msgs
	}
	return i, nil
}

// IntakeState is how much of its limit an account has used.
type IntakeState struct {
	topology.Intake
	Messages uint64 // of the last window
	Waiting  uint64 // not copied to INPUT yet
}

// Full reports whether the limit is reached, so that the account's publishers are refused.
func (s IntakeState) Full() bool { return s.Messages >= uint64(s.Intake.Messages) }

// Intakes returns the state of each account whose publishers are limited.
func (b *Broker) Intakes(ctx context.Context) ([]IntakeState, error) {
	if len(b.topology.Intakes) == 0 {
		return nil, nil
	}
	input, err := b.js.Stream(ctx, string(events.StreamInput))
	if err != nil {
		return nil, fmt.Errorf("look up INPUT: %w", err)
	}
	waiting := map[string]uint64{}
	for _, source := range input.CachedInfo().Sources {
		waiting[source.Name] = source.Lag
	}
	out := make([]IntakeState, 0, len(b.topology.Intakes))
	for _, intake := range b.topology.Intakes {
		var stream jetstream.Stream
		if stream, err = b.js.Stream(ctx, intake.Stream()); err != nil {
			return nil, fmt.Errorf("look up %s: %w", intake.Stream(), err)
		}
		out = append(out, IntakeState{Intake: intake, Messages: stream.CachedInfo().State.Msgs, Waiting: waiting[intake.Stream()]})
	}
	return out, nil
}
