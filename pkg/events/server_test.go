package events_test

import (
	"io"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"
)

// testServer is a NATS server with JetStream inside the test process, and a
// connection to it.
func testServer(t *testing.T) *nats.Conn {
	t.Helper()
	s, err := server.NewServer(&server.Options{
		ServerName: "events-test", JetStream: true, StoreDir: t.TempDir(), DontListen: true, NoSigs: true, DisableJetStreamBanner: true,
	})
	require.NoError(t, err)
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	require.True(t, s.ReadyForConnections(2*time.Minute))
	conn, err := nats.Connect("", nats.InProcessServer(s))
	require.NoError(t, err)
	t.Cleanup(conn.Close)
	return conn
}

// throughServer publishes a message and returns it as a subscriber got it.
func throughServer(t *testing.T, conn *nats.Conn, msg *nats.Msg) *nats.Msg {
	t.Helper()
	sub, err := conn.SubscribeSync(msg.Subject)
	require.NoError(t, err)
	defer func() { require.NoError(t, sub.Unsubscribe()) }()
	require.NoError(t, conn.PublishMsg(msg))
	got, err := sub.NextMsgWithContext(t.Context())
	require.NoError(t, err)
	return got
}

// payload collects what the SDK writes as a message's body.
type payload []byte

func (p *payload) ReadFrom(r io.Reader) (int64, error) {
	data, err := io.ReadAll(r)
	*p = data
	return int64(len(data)), err
}
