package keep

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
)

// maxTries bounds the attempts to store a configuration before Rules pauses.
const maxTries = 50

// Applied returns the configuration that the bucket RULES holds under a hash, nil if it holds
// none (AU-12).
func Applied(ctx context.Context, b *natsengine.Broker, hash string) ([]byte, error) {
	m, err := applied(ctx, b, hash)
	if m == nil || m.Header.Get(topology.HeaderOperation) != "" {
		return nil, err
	}
	return m.Data, nil
}

func applied(ctx context.Context, b *natsengine.Broker, hash string) (*proof.Message, error) {
	store, err := b.Store(ctx, "KV_"+topology.BucketRules)
	if err != nil {
		return nil, err
	}
	return store.Last(ctx, topology.RulesPrefix+hash)
}

// Rules stores a configuration, which encode returns, under its hash in the bucket RULES,
// unless it is stored there. A value for which fits returns an error was written by somebody
// else and is replaced. After an error, with which it calls failed, it tries again; once it is
// done, it calls failed with nil.
func Rules(
	ctx context.Context, b *natsengine.Broker, hash string, encode func() ([]byte, error), fits func([]byte) error, failed func(error),
) {
	for pause := 100 * time.Millisecond; ; pause = min(2*pause, 30*time.Second) {
		err := rulesOnce(ctx, b, hash, encode, fits)
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

func rulesOnce(
	ctx context.Context, b *natsengine.Broker, hash string, encode func() ([]byte, error), fits func([]byte) error,
) error {
	for tries := 0; ; tries++ {
		err := storeRules(ctx, b, hash, encode, fits)
		if !natsengine.Outdated(err) || tries == maxTries {
			return err
		}
		time.Sleep(time.Duration(tries) * time.Millisecond) // another instance was faster, and a replica may lag
	}
}

func storeRules(
	ctx context.Context, b *natsengine.Broker, hash string, encode func() ([]byte, error), fits func([]byte) error,
) error {
	m, err := applied(ctx, b, hash)
	if err != nil {
		return err
	}
	revision := uint64(0)
	if m != nil {
		revision = m.Sequence
		if fits(m.Data) == nil {
			return nil
		}
		b.Observer().Skipped(topology.BucketRules, natsengine.AllPartitions, proof.ReasonContent, revision)
	}
	data, err := encode()
	if err != nil {
		return err
	}
	_, err = b.JetStream().PublishMsg(ctx, &nats.Msg{Subject: topology.RulesPrefix + hash, Data: data}, jetstream.WithExpectLastSequencePerSubject(revision))
	if err != nil {
		return fmt.Errorf("store the rules of configuration %s: %w", hash, err)
	}
	return nil
}
