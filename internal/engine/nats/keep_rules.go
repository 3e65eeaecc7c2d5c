package nats

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
)

const rulesPrefix = "$KV." + topology.BucketRules + "."

// Applied returns what the bucket RULES holds under a configuration hash, nil for nothing
// (AU-12).
func (b *Broker) Applied(ctx context.Context, hash string) ([]byte, error) {
	m, err := b.applied(ctx, hash)
	if m == nil || m.Header.Get(headerOperation) != "" {
		return nil, err
	}
	return m.Data, nil
}

func (b *Broker) applied(ctx context.Context, hash string) (*message, error) {
	store, err := b.store(ctx, "KV_"+topology.BucketRules)
	if err != nil {
		return nil, err
	}
	return store.Last(ctx, rulesPrefix+hash)
}

// KeepRules stores under a configuration hash what it names, which encode gives, unless it is
// there. What somebody else stored there, of which fits says so, is replaced. It retries after an
// error, with which it calls failed; with nil once it is done.
func (b *Broker) KeepRules(
	ctx context.Context, hash string, encode func() ([]byte, error), fits func([]byte) error, failed func(error),
) {
	for pause := 100 * time.Millisecond; ; pause = min(2*pause, 30*time.Second) {
		err := b.keepRules(ctx, hash, encode, fits)
		if ctx.Err() != nil {
			return
		}
		failed(err)
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

func (b *Broker) keepRules(
	ctx context.Context, hash string, encode func() ([]byte, error), fits func([]byte) error,
) error {
	for tries := 0; ; tries++ {
		err := b.storeRules(ctx, hash, encode, fits)
		if !outdated(err) || tries == maxTries {
			return err
		}
		time.Sleep(time.Duration(tries) * time.Millisecond) // another instance was faster, and a replica may lag
	}
}

func (b *Broker) storeRules(
	ctx context.Context, hash string, encode func() ([]byte, error), fits func([]byte) error,
) error {
	m, err := b.applied(ctx, hash)
	if err != nil {
		return err
	}
	revision := uint64(0)
	if m != nil {
		revision = m.Sequence
		if fits(m.Data) == nil {
			return nil
		}
		b.observer.Skipped(topology.BucketRules, AllPartitions, ReasonContent, revision)
	}
	data, err := encode()
	if err != nil {
		return err
	}
	_, err = b.js.PublishMsg(ctx, &nats.Msg{Subject: rulesPrefix + hash, Data: data}, jetstream.WithExpectLastSequencePerSubject(revision))
	if err != nil {
		return fmt.Errorf("store the rules of configuration %s: %w", hash, err)
	}
	return nil
}
