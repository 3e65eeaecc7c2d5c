package client_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// broker is a NATS server with JetStream inside the test process. It can be
// stopped and started again on its port and data.
type broker struct {
	options *server.Options
	server  *server.Server
}

func startBroker(change ...func(*server.Options)) (*broker, error) {
	dir, err := os.MkdirTemp("", "scaffoldwatch-client-")
	if err != nil {
		return nil, err
	}
	b := &broker{options: &server.Options{
		ServerName: "client-test", JetStream: true, StoreDir: dir, Host: "127.0.0.1", Port: server.RANDOM_PORT,
		MaxPayload: 8 << 20, NoSigs: true, DisableJetStreamBanner: true,
	}}
	for _, c := range change {
		c(b.options)
	}
	if err := b.start(); err != nil {
		return nil, err
	}
	return b, nil
}

func (b *broker) start() error {
	s, err := server.NewServer(b.options.Clone())
	if err != nil {
		return err
	}
	s.Start()
	if !s.ReadyForConnections(2 * time.Minute) {
		return fmt.Errorf("the test server did not start")
	}
	b.server = s
	if b.options.Port == server.RANDOM_PORT {
		var port int
		if _, err := fmt.Sscanf(s.ClientURL(), "nats://127.0.0.1:%d", &port); err != nil {
			return err
		}
		b.options.Port = port
	}
	return nil
}

func (b *broker) stop() {
	b.server.Shutdown()
	b.server.WaitForShutdown()
}

func (b *broker) remove() {
	b.stop()
	_ = os.RemoveAll(b.options.StoreDir)
}

func (b *broker) connect(options ...nats.Option) (*nats.Conn, error) {
	return nats.Connect(b.server.ClientURL(), append([]nats.Option{
		nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1), nats.ReconnectWait(10 * time.Millisecond), nats.ReconnectJitter(0, 0),
	}, options...)...)
}

// provision makes the streams and the bucket as `scaffoldwatch streams init` does.
func provision(ctx context.Context, js jetstream.JetStream) error {
	config := jetstream.StreamConfig{
		Name: string(events.StreamInput), Subjects: subjects.StreamSubjects(events.StreamInput),
		SubjectTransform: &jetstream.SubjectTransformConfig{Source: "*.*.*.*", Destination: "{{wildcard(1)}}.{{wildcard(2)}}.{{partition(16,3)}}.{{wildcard(3)}}.{{wildcard(4)}}"},
	}
	if _, err := js.CreateStream(ctx, config); err != nil {
		return err
	}
	if _, err := js.CreateStream(ctx, jetstream.StreamConfig{Name: string(events.StreamDecisions), Subjects: subjects.StreamSubjects(events.StreamDecisions)}); err != nil {
		return err
	}
	_, err := js.CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: runevents.ControlBucket})
	return err
}

// bench is a running, provisioned broker with a connection, for one test.
type bench struct {
	*broker
	conn *nats.Conn
	js   jetstream.JetStream
}

func newBench(t *testing.T, change ...func(*server.Options)) *bench {
	t.Helper()
	b, err := startBroker(change...)
	require.NoError(t, err)
	t.Cleanup(b.remove)
	conn, err := b.connect()
	require.NoError(t, err)
	t.Cleanup(conn.Close)
	js, err := jetstream.New(conn)
	require.NoError(t, err)
	require.NoError(t, provision(t.Context(), js))
	return &bench{broker: b, conn: conn, js: js}
}

// input is what lies in INPUT, in order.
func (b *bench) input(t *testing.T) []*jetstream.RawStreamMsg {
	t.Helper()
	stream, err := b.js.Stream(t.Context(), string(events.StreamInput))
	require.NoError(t, err)
	var out []*jetstream.RawStreamMsg
	for sequence := uint64(1); sequence <= stream.CachedInfo().State.LastSeq; sequence++ {
		msg, err := stream.GetMsg(t.Context(), sequence)
		require.NoError(t, err)
		out = append(out, msg)
	}
	return out
}

// turnIDs are the turn ids in INPUT, in order.
func (b *bench) turnIDs(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, msg := range b.input(t) {
		e, err := events.DecodeMessage(msg.Header, msg.Data)
		require.NoError(t, err)
		out = append(out, e.Data.(*sessionevents.Turn).TurnID)
	}
	return out
}

// awaitConnection waits until the connection is up (or down) again.
func awaitConnection(t *testing.T, conn *nats.Conn, up bool) {
	t.Helper()
	require.Eventually(t, func() bool { return conn.IsConnected() == up }, waitLimit, waitStep)
}

// Conditions are awaited, never slept for.
const (
	waitLimit = 20 * time.Second
	waitStep  = time.Millisecond
)
