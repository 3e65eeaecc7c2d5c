package client

import (
	"fmt"
	"testing"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// A publisher goes on after an answer that the next attempt will not get.
func TestWhatEndsAPublisher(t *testing.T) {
	inProcess := &jetstream.APIError{Code: 409, ErrorCode: duplicateInProcess, Description: "duplicate message id is in process"}
	require.False(t, permanent(fmt.Errorf("publish: %w", inProcess)))
	require.True(t, permanent(&jetstream.APIError{Code: 400, ErrorCode: 10060}), "another stream is expected")
	require.False(t, permanent(&jetstream.APIError{Code: 503, ErrorCode: 10077}), "the account's limit is reached")
	require.False(t, permanent(&jetstream.APIError{Code: 503, ErrorCode: 10008}), "no leader yet")
}

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
		_, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: stream, Subjects: []string{"turn.raw.*.*"}})
		require.NoError(t, err)
		defer func() { require.NoError(t, js.DeleteStream(t.Context(), stream)) }()
		p, err := NewPublisher(conn, PublisherOptions{Source: "/test"})
		require.NoError(t, err)
		_, err = p.Turn(t.Context(), sessionevents.Turn{Session: "s", TurnID: "t", Text: "x", Format: "markdown"})
		return err
	}
	require.ErrorContains(t, send("OTHER"), "stored in the stream OTHER, not in INPUT")
	require.NoError(t, send("INTAKE_SHOP"))
}
