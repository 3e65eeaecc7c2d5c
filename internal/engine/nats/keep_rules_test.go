package nats_test

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	natskeep "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/keep"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/natstest"
)

// Several instances and restarts store what a configuration hash names once; what somebody
// else stored there is replaced (AU-12).
func TestRulesAreStoredOnce(t *testing.T) {
	broker := natstest.Run(t)
	b := open(t, broker.Conn, nats.Keys{}, nil)
	const hash = "0123456789ab"
	whole := []byte("the rules")
	fits := func(data []byte) error {
		if !bytes.Equal(data, whole) {
			return errors.New("not these")
		}
		return nil
	}
	encoded := atomic.Int64{}
	encode := func() ([]byte, error) {
		encoded.Add(1)
		return whole, nil
	}
	keep := func() {
		natskeep.Rules(context.Background(), b, hash, encode, fits, func(err error) { require.NoError(t, err) })
	}
	revision := func() uint64 {
		bucket, err := b.JetStream().KeyValue(t.Context(), "RULES")
		require.NoError(t, err)
		entry, err := bucket.Get(t.Context(), hash)
		require.NoError(t, err)
		require.Equal(t, whole, entry.Value())
		return entry.Revision()
	}
	none, err := natskeep.Applied(t.Context(), b, hash)
	require.NoError(t, err)
	require.Nil(t, none)

	var all sync.WaitGroup
	for range 8 {
		all.Go(keep)
	}
	all.Wait()
	require.EqualValues(t, 1, revision())
	broker.Restart()
	b = open(t, broker.Conn, nats.Keys{}, nil)
	encoded.Store(0)
	keep()
	require.EqualValues(t, 1, revision(), "a restart writes nothing")
	require.Zero(t, encoded.Load(), "nor does it encode what is there")

	bucket, err := b.JetStream().KeyValue(t.Context(), "RULES")
	require.NoError(t, err)
	_, err = bucket.Put(t.Context(), hash, []byte("forged"))
	require.NoError(t, err)
	keep()
	require.EqualValues(t, 3, revision())
	require.NoError(t, bucket.Delete(t.Context(), hash))
	none, err = natskeep.Applied(t.Context(), b, hash)
	require.NoError(t, err)
	require.Nil(t, none)
	keep()
	require.EqualValues(t, 5, revision())

	stop, cancel := context.WithCancel(t.Context())
	require.NoError(t, b.JetStream().DeleteKeyValue(t.Context(), "RULES"))
	b = openBare(t, broker)
	natskeep.Rules(stop, b, hash, encode, fits, func(err error) {
		require.ErrorIs(t, err, jetstream.ErrStreamNotFound)
		cancel()
	})
}

// openBare opens the broker without provisioning it.
func openBare(t *testing.T, broker *natstest.Broker) *nats.Broker {
	t.Helper()
	b, err := nats.Open(broker.Conn, layout, nats.Keys{}, nil)
	require.NoError(t, err)
	return b
}
