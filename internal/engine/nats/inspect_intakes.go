package nats

import (
	"context"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// IntakeState is how far an account has used what it may send.
type IntakeState struct {
	topology.Intake
	Messages uint64 // of the last window
	Waiting  uint64 // not copied to INPUT yet
}

// Full reports whether the account's publishers are refused.
func (s IntakeState) Full() bool { return s.Messages >= uint64(s.Intake.Messages) }

// Intakes looks up the accounts whose publishers have a limit.
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
