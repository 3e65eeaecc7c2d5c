package nats

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Members sends heartbeats of an instance of a stage and returns a channel of the
// partitions assigned to it, at once and after each change, for
// engine.Runner.Share. The channel is closed when ctx ends. While the broker is
// out of reach the last share remains, which the fence makes safe.
func (b *Broker) Members(ctx context.Context, name, instance string) (<-chan []int, error) {
	if !events.ValidID(instance) {
		return nil, fmt.Errorf("instance name %q: use 1 to 128 of the characters A-Z a-z 0-9 _ -", instance)
	}
	bucket, err := b.js.KeyValue(ctx, topology.BucketMembers)
	if err != nil {
		return nil, fmt.Errorf("join the instances of %s: %w", name, err)
	}
	m := &member{bucket: bucket, stage: name, instance: instance, partitions: b.topology.Partitions, shares: make(chan []int, 1)}
	if err := m.beat(ctx); err != nil {
		return nil, fmt.Errorf("join the instances of %s: %w", name, err)
	}
	go m.live(ctx, b.topology.Beat)
	return m.shares, nil
}

type member struct {
	bucket          jetstream.KeyValue
	stage, instance string
	partitions      int
	shares          chan []int
	last            []int
}

func (m *member) key() string { return m.stage + "." + m.instance }

func (m *member) live(ctx context.Context, every time.Duration) {
	defer close(m.shares)
	beat := time.NewTicker(every)
	defer beat.Stop()
	for {
		select {
		case <-ctx.Done():
			// So that others take over now, not after three heartbeats.
			leave, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
			defer cancel()
			_ = m.bucket.Delete(leave, m.key())
			return
		case <-beat.C:
			_ = m.beat(ctx) // the next one retries
		}
	}
}

// beat writes a heartbeat and assigns partitions again.
func (m *member) beat(ctx context.Context) error {
	if _, err := m.bucket.PutString(ctx, m.key(), ""); err != nil {
		return fmt.Errorf("write a heartbeat: %w", err)
	}
	instances, err := m.alive(ctx)
	if err != nil {
		return err
	}
	share := engine.Assign(m.instance, instances, m.partitions)
	if m.last != nil && slices.Equal(share, m.last) {
		return nil
	}
	if share == nil {
		share = []int{}
	}
	select {
	case <-m.shares: // one that was not read is outdated
	default:
	}
	m.shares <- share
	m.last = share
	return nil
}

func (m *member) alive(ctx context.Context) ([]string, error) {
	lister, err := m.bucket.ListKeysFiltered(ctx, m.stage+".*")
	if errors.Is(err, jetstream.ErrNoKeysFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list the instances of %s: %w", m.stage, err)
	}
	var instances []string
	for key := range lister.Keys() {
		instances = append(instances, strings.TrimPrefix(key, m.stage+"."))
	}
	slices.Sort(instances)
	return instances, nil
}
