package transfer

import (
	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Streams returns the streams that a backup copies, in the order in which it does.
// Package backup says why it is this one.
func Streams(b *natsengine.Broker) []string {
	t := b.Topology()
	names := []string{
		"KV_" + topology.BucketPositions, "KV_" + topology.BucketControl,
		string(events.StreamDecisions), string(events.StreamSignals), string(events.StreamSegments), string(events.StreamInput), string(events.StreamTimers),
	}
	for _, intake := range t.Intakes {
		names = append(names, intake.Stream())
	}
	return append(names, string(events.StreamDeadLetter), "KV_"+topology.BucketRules)
}
