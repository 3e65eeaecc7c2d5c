package events_test

import (
	"context"
	"testing"

	cenats "github.com/cloudevents/sdk-go/protocol/nats/v2"
	cejetstream "github.com/cloudevents/sdk-go/protocol/nats_jetstream/v2"
	"github.com/cloudevents/sdk-go/v2/binding"
	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/gen/contract"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// EV-1, ours to theirs: the SDK's bindings read what this codec writes, from a
// message that went through a server.
func TestSDKReadsOurMessages(t *testing.T) {
	conn := testServer(t)
	for typ, e := range contract.Examples() {
		want, err := events.ToCloudEvent(e)
		require.NoError(t, err)

		header, data, err := events.EncodeBinary(e)
		require.NoError(t, err)
		msg := throughServer(t, conn, &nats.Msg{Subject: "interop", Header: header, Data: data})
		got, err := binding.ToEvent(t.Context(), cejetstream.NewMessage(msg))
		require.NoError(t, err, typ)
		require.Equal(t, want.String(), got.String())

		header, data, err = events.EncodeStructured(e)
		require.NoError(t, err)
		msg = throughServer(t, conn, &nats.Msg{Subject: "interop", Header: header, Data: data})
		got, err = binding.ToEvent(t.Context(), cenats.NewMessage(msg))
		require.NoError(t, err, typ)
		require.Equal(t, want.String(), got.String())
		got, err = binding.ToEvent(t.Context(), cejetstream.NewMessage(msg))
		require.NoError(t, err, typ)
		require.Equal(t, want.String(), got.String())
	}
}

// EV-1, theirs to ours: the core NATS binding (structured, without a
// Content-Type, so that only UnmarshalStructured can take it) and the JetStream
// binding in both modes.
func TestWeReadTheSDKsMessages(t *testing.T) {
	conn := testServer(t)
	sub, err := conn.SubscribeSync("sdk.core")
	require.NoError(t, err)
	sender, err := cenats.NewSenderFromConn(conn, "sdk.core")
	require.NoError(t, err)
	for typ, want := range contract.Examples() {
		ce, err := events.ToCloudEvent(want)
		require.NoError(t, err)

		require.NoError(t, sender.Send(t.Context(), binding.ToMessage(&ce)))
		msg, err := sub.NextMsgWithContext(t.Context())
		require.NoError(t, err)
		got, err := events.UnmarshalStructured(msg.Data)
		require.NoError(t, err, typ)
		requireSame(t, want, got)
		_, err = events.DecodeMessage(msg.Header, msg.Data)
		require.Error(t, err, "structured mode needs its Content-Type")

		for _, mode := range []context.Context{binding.WithForceBinary(t.Context()), binding.WithForceStructured(t.Context())} {
			got, err := fromJetStreamBinding(t, mode, conn, binding.ToMessage(&ce))
			require.NoError(t, err, typ)
			requireSame(t, want, got)
		}
	}
}

// fromJetStreamBinding lets the SDK write a message and reads it with this codec.
func fromJetStreamBinding(t *testing.T, ctx context.Context, conn *nats.Conn, in binding.Message) (events.Event, error) {
	t.Helper()
	var body payload
	header, err := cejetstream.WriteMsg(ctx, in, &body)
	require.NoError(t, err)
	msg := throughServer(t, conn, &nats.Msg{Subject: "interop", Header: header, Data: body})
	if len(header) == 0 {
		return events.UnmarshalStructured(msg.Data)
	}
	return events.DecodeMessage(msg.Header, msg.Data)
}
