package vitals

import (
	"fmt"
	"net"
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"
	"github.com/stretchr/testify/require"

	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/embedded"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/natstest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
)

// A user who may read everything and write everything but one stream is told which.
func TestALostPermissionIsNamed(t *testing.T) {
	admin, evaluator := newKey(t), newKey(t)
	rights := &embedded.Rights{
		Publish:   []string{"$JS.API.>", "_INBOX.>", "ckpt.ingest.>", "schedules.>", "hook.received.>"},
		Subscribe: []string{">"},
	}
	server, err := embedded.Start(embedded.Options{
		Dir: t.TempDir(), Port: -1, LazySync: true, Users: []embedded.User{{PublicKey: admin.public}, {PublicKey: evaluator.public, Rights: rights}},
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Shutdown()) })
	_, err = topology.ProvisionOwn(t.Context(), must(t, admin.connect(t, server.URL())), layout)
	require.NoError(t, err)
	nc := evaluator.connect(t, server.URL())
	found := Look(t.Context(), must(t, nc), layout)
	require.Empty(t, found.All(), "everything may be looked at")
	tried := kinds(TryWrites(t.Context(), nc, StageWrites("evaluator")[:1]...))
	require.Equal(t, map[Kind][]string{PermissionDenied: {"SIGNALS"}}, tried)
	stored := Store(t.Context(), nc, "evaluator")
	require.NotNil(t, stored)
	require.Equal(t, PermissionDenied, stored.Kind)
}

// A permission that is given back counts at once: the connection still holds the denial as its last error.
func TestARestoredPermissionCounts(t *testing.T) {
	dir := t.TempDir()
	options := func(subjects ...string) *server.Options {
		return &server.Options{
			Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: dir, NoLog: true, NoSigs: true,
			Users: []*server.User{{Username: "evaluator", Password: "p", Permissions: &server.Permissions{
				Publish:   &server.SubjectPermission{Allow: subjects},
				Subscribe: &server.SubjectPermission{Allow: []string{">"}},
			}}},
		}
	}
	opened := options("ckpt.evaluator.>")
	broker, err := server.NewServer(options("ckpt.ingest.>"))
	require.NoError(t, err)
	broker.Start()
	t.Cleanup(func() { broker.Shutdown(); broker.WaitForShutdown() })
	require.True(t, broker.ReadyForConnections(time.Minute))
	nc, err := nats.Connect(broker.ClientURL(), nats.UserInfo("evaluator", "p"),
		nats.MaxReconnects(-1), nats.ReconnectWait(10*time.Millisecond),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
	require.NoError(t, err)
	t.Cleanup(nc.Close)
	tried := func() map[Kind][]string { return kinds(TryWrites(t.Context(), nc, StageWrites("evaluator")[:1]...)) }
	require.Equal(t, map[Kind][]string{PermissionDenied: {"SIGNALS"}}, tried())

	opened.Port = broker.Addr().(*net.TCPAddr).Port
	require.NoError(t, broker.ReloadOptions(opened))
	require.Eventually(t, func() bool { return len(tried()[NoAnswer]) == 1 }, time.Minute, 10*time.Millisecond,
		"there is no stream, but nothing denies it")
}

// key is a user's.
type key struct {
	pair   nkeys.KeyPair
	public string
}

func newKey(t *testing.T) key {
	t.Helper()
	pair, err := nkeys.CreateUser()
	require.NoError(t, err)
	public, err := pair.PublicKey()
	require.NoError(t, err)
	return key{pair, public}
}

func (k key) connect(t *testing.T, url string) *nats.Conn {
	t.Helper()
	nc, err := nats.Connect(url, nats.Nkey(k.public, k.pair.Sign), nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
	require.NoError(t, err)
	t.Cleanup(nc.Close)
	return nc
}

func must(t *testing.T, nc *nats.Conn) jetstream.JetStream {
	t.Helper()
	js, err := natsengine.JetStream(nc)
	require.NoError(t, err)
	return js
}

// One lost server of three leaves every stream writable and its replica named; two leave
// no stream that accepts a write, and no look that says otherwise.
func TestLostServersOfACluster(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for elections")
	}
	three := topology.Topology{Partitions: 2, Replicas: 3}
	cluster := natstest.RunCluster(t)
	nc := cluster.Connect()
	js := must(t, nc)
	_, err := topology.ProvisionOwn(t.Context(), js, three)
	require.NoError(t, err)
	writes := stageWrites()
	look := func() map[Kind][]string { return kinds(Look(t.Context(), js, three).All()) }
	require.Eventually(t, func() bool { return len(look()) == 0 && len(TryWrites(t.Context(), nc, writes...)) == 0 }, time.Minute, 100*time.Millisecond)

	cluster.Stop(0)
	require.Eventually(t, func() bool {
		found := look()
		return len(found) == 1 && len(found[ReplicaBehind]) == len(topology.Names(three)) && len(TryWrites(t.Context(), nc, writes...)) == 0
	}, time.Minute, 100*time.Millisecond, "one of three")

	cluster.Stop(1)
	unusable := func(found map[Kind][]string) bool {
		lost := slices.Concat(found[NoLeader], found[NoQuorum], found[NoAnswer])
		return len(lost) >= len(topology.Names(three))
	}
	require.Eventually(t, func() bool {
		return unusable(look()) && len(TryWrites(t.Context(), nc, writes...)) == len(writes) && Store(t.Context(), nc, "ingest") != nil
	}, time.Minute, 100*time.Millisecond, "one alone")

	cluster.Start(0, 1)
	require.Eventually(t, func() bool {
		return len(look()) == 0 && len(TryWrites(t.Context(), nc, writes...)) == 0 && Store(t.Context(), nc, "ingest") == nil
	}, time.Minute, 100*time.Millisecond, "all again")
}

// What nats-server answers when the disk is full, and what it answers for the other reasons.
func TestAnswersOfTheBrokerHaveAKind(t *testing.T) {
	for text, c := range map[string]struct {
		code jetstream.ErrorCode
		want Kind
	}{
		"write /srv/nats/1.blk: no space left on device": {codeStoreFailed, DiskFull},
		"maximum bytes exceeded":                         {codeStoreFailed, StreamFull},
		"error encrypting block":                         {codeStoreFailed, WriteRefused},
		"insufficient resources":                         {codeResources, DiskFull},
		"insufficient storage resources available":       {codeStorage, DiskFull},
		"JetStream system temporarily unavailable":       {codeNotAvailable, NoQuorum},
		"stream is offline":                              {codeOffline, NoLeader},
		"resource limits exceeded for account":           {codeAccountLimit, StoreFull},
		"maximum consumers limit reached":                {codeMaxConsumers, ConsumerLimit},
		"invalid operation on sealed stream":             {codeSealed, ReadOnly},
	} {
		kind, ok := Classify(&jetstream.APIError{ErrorCode: c.code, Description: text})
		require.True(t, ok, text)
		require.Equal(t, c.want, kind, text)
	}
	_, ok := Classify(&jetstream.APIError{ErrorCode: codeWrongLast})
	require.False(t, ok, "a condition that does not hold says nothing of the stream")
}

// After a failed write nats-server refuses the stream's writes until it is restarted. Whoever reads
// "no space left" beside a disk with room has to be told.
func TestAFailedWriteIsSaidToRemain(t *testing.T) {
	const remains = "nats-server refuses every write of this stream from then on until it is restarted"
	full := &jetstream.APIError{ErrorCode: codeStoreFailed, Description: "write /srv/nats/1.blk: no space left on device"}
	require.ErrorContains(t, Explained(fmt.Errorf("commit partition 3: %w", full)), remains)
	require.Contains(t, unanswered("DECISIONS", "write to DECISIONS", full).Text, remains)
	for _, other := range []*jetstream.APIError{
		{ErrorCode: codeStoreFailed, Description: "maximum bytes exceeded"}, {ErrorCode: codeSealed, Description: "invalid operation on sealed stream"},
	} {
		require.NotContains(t, Explained(other).Error(), remains, "it ends with its cause")
	}
}

func TestAClockMayDifferALittle(t *testing.T) {
	require.Nil(t, clockFault(1900*time.Millisecond))
	require.Nil(t, clockFault(-1900*time.Millisecond))
	require.ErrorContains(t, clockFault(3*time.Second), "clock_off: this machine's clock is 3s ahead of the broker's")
	require.ErrorContains(t, clockFault(-time.Hour), "clock is 1h0m0s behind the broker's")
}
