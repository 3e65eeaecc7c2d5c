package deploy

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service/system"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Permissions cover subjects only, so INPUT itself must refuse every header by
// which a publisher's message could write, move or remove another (EV-10).
func TestInputRefusesHeadersThatReachOtherMessages(t *testing.T) {
	url := start(t)
	publisher := dial(t, url, "publisher")
	send := func(header map[string]string) jetstream.PubAck {
		m := nats.NewMsg("turn.raw.g.s")
		m.Data = []byte("{}")
		for name, value := range header {
			m.Header.Set(name, value)
		}
		reply, err := publisher.RequestMsg(m, 10*time.Second)
		require.NoError(t, err)
		var answer struct {
			jetstream.PubAck
			Error *jetstream.APIError `json:"error"`
		}
		require.NoError(t, json.Unmarshal(reply.Data, &answer))
		if len(header) == 0 {
			require.Nil(t, answer.Error)
		} else {
			require.NotNil(t, answer.Error, "%v", header)
		}
		return answer.PubAck
	}
	require.Equal(t, "INPUT", send(nil).Stream)
	now := "@at " + time.Now().UTC().Format(time.RFC3339Nano)
	for _, header := range []map[string]string{
		{"Nats-Schedule": now, "Nats-Schedule-Target": "operator.act.g.s"},
		{"Nats-Schedule": now, "Nats-Schedule-Target": "operator.act.0.g.s"},
		{"Nats-Schedule": now, "Nats-Schedule-Target": "timer.expired.g.s"},
		{"Nats-Schedule": "@every 1s", "Nats-Schedule-Target": "turn.raw.g.other"},
		{"Nats-Rollup": "all"},
		{"Nats-Rollup": "sub"},
		{"Nats-TTL": "1s"},
		{"Nats-TTL": "never"},
		{"Nats-Incr": "+1"},
		{"Nats-Schedule-Next": "purge", "Nats-Scheduler": "turn.raw.0.g.s"},
		// It would move the position in TIMERS from which INPUT continues after a restart.
		{"Nats-Stream-Source": "TIMERS 1000000 timer.expired.*.* timer.expired.{{partition(4,1)}}.{{wildcard(1)}}.{{wildcard(2)}} timer.expired.g.s"},
	} {
		send(header)
	}
	js, err := jetstream.New(dial(t, url, "admin"))
	require.NoError(t, err)
	input, err := js.Stream(context.Background(), "INPUT")
	require.NoError(t, err)
	require.EqualValues(t, 1, input.CachedInfo().State.FirstSeq)
	require.EqualValues(t, 1, input.CachedInfo().State.LastSeq, "the plain one is there, and nothing else")
	require.Equal(t, send(nil).Sequence, uint64(2))
}

// TestPublisherCannotSpeakAsOperator sends a mute by a schedule whose target is
// the operator's subject; nothing of it may reach ingest (EV-10).
func TestPublisherCannotSpeakAsOperator(t *testing.T) {
	url := start(t)
	act := events.Event{
		ID: "forged", Source: "/forger", Type: runevents.TypeOperatorAct, Subject: "s", Time: time.Now(),
		Data: &runevents.OperatorAct{Act: "mute", Session: "s", By: "nobody", Details: []byte(`{"scope":"session"}`)},
	}
	header, data, err := events.EncodeBinary(act)
	require.NoError(t, err)
	m := &nats.Msg{Subject: "turn.raw.s.s", Header: header, Data: data}
	m.Header.Set("Nats-Schedule", "@at "+time.Now().UTC().Format(time.RFC3339Nano))
	m.Header.Set("Nats-Schedule-Target", "operator.act.s.s")
	publisher := dial(t, url, "publisher")
	_, err = publisher.RequestMsg(m, 10*time.Second)
	require.NoError(t, err)
	ctx, stop := context.WithTimeout(context.Background(), 3*time.Minute)
	defer stop()

	p, err := client.NewPublisher(publisher, client.PublisherOptions{Source: "/test"})
	require.NoError(t, err)
	_, err = p.Turn(ctx, sessionevents.Turn{Session: "s", TurnID: "t1", Format: "markdown", Text: "Done."})
	require.NoError(t, err)
	c := config.Default()
	c.NATS.URL, c.NATS.User, c.NATS.Password, c.Streams.Partitions, c.HTTP.Address = url, "ingest", "ingest", 4, ""
	c.Session.IdleTimeout = time.Second // longer than the broker takes for a schedule
	running, end := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() {
		done <- service.Run(running, service.Options{Services: system.Services("ingest"), Config: c, Log: quiet()})
	}()
	js, err := jetstream.New(dial(t, url, "admin"))
	require.NoError(t, err)
	segments, err := js.Stream(ctx, "SEGMENTS")
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		_, err := segments.GetLastMsgForSubject(ctx, "segments.session.closed.*.s.s")
		if err != nil {
			_, err = segments.GetLastMsgForSubject(ctx, "session.closed.*.s.s")
		}
		return err == nil
	}, 2*time.Minute, 10*time.Millisecond, "ingest's own timer went off")
	input, err := js.Stream(ctx, "INPUT")
	require.NoError(t, err)
	_, err = input.GetLastMsgForSubject(ctx, "operator.act.*.s.s")
	require.ErrorIs(t, err, jetstream.ErrMsgNotFound)
	_, err = segments.GetLastMsgForSubject(ctx, "segments.operator.act.*.s.s")
	require.ErrorIs(t, err, jetstream.ErrMsgNotFound)
	end()
	require.NoError(t, <-done)
}
