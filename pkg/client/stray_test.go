package client_test

import (
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// A stream that captures the subject of turns, but from which INPUT copies nothing,
// is a fault of the installation, and said at once.
func TestAStreamThatNobodyReads(t *testing.T) {
	b, err := startBroker()
	require.NoError(t, err)
	t.Cleanup(func() { b.stop(); b.remove() })
	conn, err := b.connect()
	require.NoError(t, err)
	t.Cleanup(conn.Close)
	js, err := jetstream.New(conn)
	require.NoError(t, err)
	send := func(stream string) error {
		_, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: stream, Subjects: []string{"turn.raw.*.*"}, Storage: jetstream.MemoryStorage})
		require.NoError(t, err)
		defer func() { require.NoError(t, js.DeleteStream(t.Context(), stream)) }()
		p, err := client.NewPublisher(conn, client.PublisherOptions{Source: "/test"})
		require.NoError(t, err)
		_, err = p.Turn(t.Context(), sessionevents.Turn{Session: "s", TurnID: "t", Text: "x", Format: "markdown"})
		return err
	}
	require.ErrorContains(t, send("OTHER"), "stored in the stream OTHER, not in INPUT")
	require.NoError(t, send("INTAKE_SHOP"))
}

// An acknowledgement as a duplicate of what was never sent is an error: the event is
// not stored.
func TestASwallowedEventIsAnError(t *testing.T) {
	b := newBench(t)
	js, err := jetstream.New(b.conn)
	require.NoError(t, err)
	require.NoError(t, js.DeleteStream(t.Context(), "INPUT"))
	answers, err := b.conn.Subscribe("turn.raw.*.*", func(m *nats.Msg) {
		_ = m.Respond([]byte(`{"stream":"INPUT","seq":7,"duplicate":true}`))
	})
	require.NoError(t, err)
	defer func() { require.NoError(t, answers.Unsubscribe()) }()
	_, err = newPublisher(t, b.conn).Turn(t.Context(), turn(1))
	require.ErrorContains(t, err, "acknowledged as a duplicate of message 7 in INPUT")
	require.ErrorContains(t, err, "is not stored")
}
