package nats_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/natstest"
)

// No error shows a password or a token of an address, whether it could be reached, or read at all.
func TestAddressesAreShownWithoutSecrets(t *testing.T) {
	secret := "hunter" + "2"
	for server, want := range map[string]string{
		"nats://10.0.0.1:4222":                        "nats://10.0.0.1:4222",
		"a:4222,tls://b":                              "a:4222,tls://b",
		"nats://ann:" + secret + "@a:4222":            "nats://ann:xxxxx@a:4222",
		"nats://ann:x@a, nats://ben:" + secret + "@b": "nats://ann:xxxxx@a, nats://ben:xxxxx@b",
		"ann:" + secret + "@a:4222":                   "ann:xxxxx@a:4222",
		"nats://" + secret + "@a:4222":                "nats://xxxxx@a:4222",
		"nats://ann:" + secret + "@x@a:4222":          "nats://ann:xxxxx@a:4222",
		"nats://ann:" + secret + "@a:port":            "nats://ann:xxxxx@a:port",
	} {
		require.Equal(t, want, natsengine.Shown(server))
	}
	free, err := natstest.Free(1)
	require.NoError(t, err)
	for _, at := range []string{
		"nats://ann:" + secret + "@" + free[0], "ann:" + secret + "@" + free[0], "nats://ann:" + secret + "@a:port",
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		_, err := natsengine.Connect(ctx, natsengine.ConnectOptions{URL: at})
		cancel()
		require.ErrorContains(t, err, "ann:xxxxx@")
		require.NotContains(t, err.Error(), secret)
	}
	_, err = natsengine.ConnectLater(natsengine.ConnectOptions{URL: "nats://ann:" + secret + "@a:port"})
	require.ErrorContains(t, err, "nats://ann:xxxxx@a:port: this is not the address of a server")
}

// What waits for a subscription that is read one by one takes memory for each request: room for a batch, not for more
// than the library's own limit needs.
func TestASubscriptionHoldsABatch(t *testing.T) {
	nc, err := natsengine.ConnectLater(natsengine.ConnectOptions{URL: "nats://127.0.0.1:1"})
	require.NoError(t, err)
	defer nc.Close()
	require.Greater(t, nc.Opts.SubChanLen, 500)
	require.LessOrEqual(t, nc.Opts.SubChanLen, nats.DefaultMaxChanLen/8)
}

// Who is asked to gives up at once where nothing listens; anyone does at an address that nothing can listen at.
func TestConnectGivesUpAtOnce(t *testing.T) {
	free, err := natstest.Free(1)
	require.NoError(t, err)
	try := func(patience time.Duration, o natsengine.ConnectOptions) (attempts int, err error) {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		o.OnFailed = func(error) { attempts++ }
		_, err = natsengine.Connect(ctx, o)
		return attempts, err
	}
	attempts, err := try(time.Minute, natsengine.ConnectOptions{URL: "nats://" + free[0], AtOnce: true})
	require.True(t, natsengine.Absent(err), err)
	require.NotErrorIs(t, err, context.DeadlineExceeded)
	require.Zero(t, attempts)
	attempts, err = try(300*time.Millisecond, natsengine.ConnectOptions{URL: "nats://" + free[0]})
	require.ErrorIs(t, err, context.DeadlineExceeded, "a service waits for its broker")
	require.NotZero(t, attempts)
	_, err = try(time.Minute, natsengine.ConnectOptions{URL: "nats://a:port"})
	require.NotErrorIs(t, err, context.DeadlineExceeded)
	require.False(t, natsengine.Absent(errors.New("tls: bad certificate")))
}
