package nats_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	natscontrol "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/control"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/natstest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// ended is the control.changed of a run, or of a session of a run, that is over.
func ended(run, session, id string) events.Event {
	ev := control(run, session, runevents.ControlRunning, id)
	ev.Data.(*runevents.ControlChanged).Ended, ev.Data.(*runevents.ControlChanged).Break = true, ""
	return ev
}

func agree(t testing.TB, b *natsengine.Broker) {
	t.Helper()
	require.Eventually(t, func() bool {
		different, err := natscontrol.Check(context.Background(), b)
		return err == nil && len(different) == 0
	}, time.Minute, 5*time.Millisecond)
}

// EV-8: the key of what ended goes away, and comes back with what goes on; who
// watches hears of both, and what is halted stays.
func TestControlKeysEnd(t *testing.T) {
	b := open(t, natstest.Run(t).Conn, natsengine.Keys{}, nil)
	heard := make(chan string, 16)
	unwatch := watchBucket(t, b, func(key string, value *runevents.Control) {
		if value == nil {
			value = &runevents.Control{State: "gone"}
		}
		heard <- key + "=" + string(value.State)
	})
	stop := keepControl(t, b)
	hears := func(want ...string) {
		for range want {
			require.Contains(t, want, <-heard)
		}
	}
	decide(t, b, control("r", "", runevents.ControlRunning, "a"), control("r", "s", runevents.ControlHalted, "b"))
	hears("run.r=running", "session.s=halted")
	decide(t, b, ended("r", "", "c"))
	hears("run.r=gone")
	require.Equal(t, map[string]string{"session.s": "halted/b"}, states(t, b))
	agree(t, b)
	decide(t, b, control("r", "", runevents.ControlHalted, "d"), ended("r", "s", "e"))
	hears("run.r=halted", "session.s=gone")
	agree(t, b)
	stop()
	unwatch()

	decide(t, b, ended("r", "", "f"), control("r", "s", runevents.ControlPaused, "g"))
	different, err := natscontrol.Check(context.Background(), b)
	require.NoError(t, err)
	require.Equal(t, []string{"run.r", "session.s"}, different)
	keepControl(t, b)()
	require.Equal(t, map[string]string{"session.s": "paused/g"}, states(t, b), "put right at the start")
	agree(t, b)
}

// What ended and is not in the bucket is as it should be; a halt that a forged end
// would hide is found (EV-6).
func TestForgedEndHidesNoHalt(t *testing.T) {
	ctx := context.Background()
	broker := natstest.Run(t)
	b := open(t, broker.Conn, natsengine.Keys{}, nil)
	decide(t, b, control("r1", "", runevents.ControlHalted, "a"), control("r2", "", runevents.ControlRunning, "b"))
	decide(t, b, ended("r2", "", "c"))
	f := newForger(t, broker)
	header, data, err := events.EncodeBinary(ended("r1", "", "forged"))
	require.NoError(t, err)
	f.message(fmt.Sprintf("control.changed.%d.r1.r1", subjects.Partition("r1", partitions)), header, data)
	keepControl(t, b)()
	require.Equal(t, map[string]string{"run.r1": "halted/a"}, states(t, b))
	require.NoError(t, b.JetStream().DeleteKeyValue(ctx, topology.BucketControl))
	_, err = topology.ProvisionOwn(ctx, b.JetStream(), b.Topology())
	require.NoError(t, err)
	different, err := natscontrol.Check(ctx, b)
	require.NoError(t, err)
	require.Equal(t, []string{"run.r1"}, different)
	keepControl(t, b)()
	require.Equal(t, map[string]string{"run.r1": "halted/a"}, states(t, b))
}

// The mark of an ended key has an end of its own: the bucket does not grow with
// what was. In a bucket of an earlier version it stays, and that is told.
func TestMarksOfEndedKeysGo(t *testing.T) {
	ctx := context.Background()
	b := open(t, natstest.Run(t).Conn, natsengine.Keys{}, nil)
	play := func(id string) *jetstream.RawStreamMsg {
		decide(t, b, control("r", "", runevents.ControlRunning, id+"1"))
		stop := keepControl(t, b)
		awaitState(t, b, "run.r", "running/"+id+"1")
		decide(t, b, ended("r", "", id+"2"))
		awaitState(t, b, "run.r", "")
		stop()
		stream, err := b.JetStream().Stream(ctx, "KV_"+topology.BucketControl)
		require.NoError(t, err)
		mark, err := stream.GetLastMsgForSubject(ctx, "$KV.CONTROL.run.r")
		require.NoError(t, err)
		require.Equal(t, "DEL", mark.Header.Get("KV-Operation"))
		return mark
	}
	require.Equal(t, time.Hour.String(), play("a").Header.Get(jetstream.MsgTTLHeader))

	older := open(t, natstest.Run(t).Conn, natsengine.Keys{}, nil)
	require.NoError(t, older.JetStream().DeleteKeyValue(ctx, topology.BucketControl))
	_, err := older.JetStream().CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: topology.BucketControl, History: 1, Storage: jetstream.FileStorage, Replicas: 1})
	require.NoError(t, err)
	differences, err := topology.ProvisionOwn(ctx, older.JetStream(), older.Topology())
	require.NoError(t, err)
	require.Len(t, differences, 1)
	require.Contains(t, differences[0].String(), "message TTL")
	b = older
	require.Empty(t, play("b").Header.Get(jetstream.MsgTTLHeader))
}

// When the mark of a deletion expires, the broker puts a mark of its own in its place, which has no value either: the
// key is gone as decided. The same header on a value hides nothing.
func TestAnExpiredMarkIsNoValue(t *testing.T) {
	ctx := context.Background()
	broker := natstest.Run(t)
	skipped := &heard{}
	b := open(t, broker.Conn, natsengine.Keys{}, skipped)
	js := b.JetStream()
	decide(t, b, control("r", "", runevents.ControlRunning, "a"), control("h", "", runevents.ControlHalted, "b"))
	keepControl(t, b)()
	decide(t, b, ended("r", "", "c"))
	keepControl(t, b)()
	stop := keepControl(t, b)
	defer stop()
	deletion := nats.Header{"KV-Operation": {"DEL"}, jetstream.MsgTTLHeader: {"1s"}}
	_, err := js.PublishMsg(ctx, &nats.Msg{Subject: "$KV.CONTROL.run.r", Header: deletion})
	require.NoError(t, err)
	stream, err := js.Stream(ctx, "KV_"+topology.BucketControl)
	require.NoError(t, err)
	var mark *jetstream.RawStreamMsg
	require.Eventually(t, func() bool {
		mark, err = stream.GetLastMsgForSubject(ctx, "$KV.CONTROL.run.r")
		return err == nil && mark.Header.Get("Nats-Marker-Reason") != ""
	}, time.Minute, 50*time.Millisecond)
	different, err := natscontrol.Check(ctx, b)
	require.NoError(t, err)
	require.Empty(t, different)
	require.Equal(t, map[string]string{"run.h": "halted/b"}, states(t, b))

	for _, data := range []string{"", `{"state":"running","scope":"run"}`} {
		mark := nats.Header{"Nats-Marker-Reason": {"MaxAge"}}
		_, err = js.PublishMsg(ctx, &nats.Msg{Subject: "$KV.CONTROL.run.h", Header: mark, Data: []byte(data)})
		require.NoError(t, err)
		require.Eventually(t, func() bool {
			last, err := stream.GetLastMsgForSubject(ctx, "$KV.CONTROL.run.h")
			return err == nil && last.Header.Get("Nats-Marker-Reason") == ""
		}, 20*time.Second, 20*time.Millisecond, "the halt is not put back after %q", data)
	}
	require.Equal(t, map[string]string{"run.h": "halted/b"}, states(t, b))
}

// The broker leaves nothing behind of a mark that came to its end.
func TestBrokerForgetsMarks(t *testing.T) {
	ctx := context.Background()
	broker := natstest.Run(t)
	js, err := jetstream.New(broker.Conn)
	require.NoError(t, err)
	bucket, err := js.CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: "MARKS", History: 1, LimitMarkerTTL: time.Second, Storage: jetstream.FileStorage})
	require.NoError(t, err)
	_, err = bucket.PutString(ctx, "k", "v")
	require.NoError(t, err)
	_, err = js.PublishMsg(ctx, &nats.Msg{Subject: "$KV.MARKS.k", Header: nats.Header{"KV-Operation": {"DEL"}, jetstream.MsgTTLHeader: {"1s"}}})
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		stream, err := js.Stream(ctx, "KV_MARKS")
		return err == nil && stream.CachedInfo().State.Msgs == 0
	}, time.Minute, 50*time.Millisecond)
}
