package nats_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/enginetest"
	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/natstest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/progress"
	natssource "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/source"
)

// A watch of a stage that is up to date costs two requests a look, however many partitions and
// messages there are; after one turn it looks up what the turn changed. It says what a first look
// says.
func TestAWatchAsksOnlyForWhatChanged(t *testing.T) {
	broker := natstest.Run(t)
	b := open(t, broker.Conn, natsengine.Keys{}, nil)
	fill(t, b, "a", 60)
	run := func(stage string) {
		stop := runs(t, b, enginetest.Tally{Name: stage}, brisk, nil)
		defer stop()
		require.Eventually(t, func() bool { waiting, _, _ := backlog(t, b, stage); return waiting == 0 }, time.Minute, 20*time.Millisecond)
	}
	asker := broker.Connect("asker") // whose requests are counted
	counted := open(t, asker, natsengine.Keys{}, nil)
	run("ingest")
	run("evaluator")
	for _, stage := range []string{"evaluator", "ingest"} {
		watch := progress.NewWatch(counted, stage)
		look := func() (requests uint64) {
			before := asker.Stats().OutMsgs
			got, err := watch.Look(t.Context())
			require.NoError(t, err)
			requests = asker.Stats().OutMsgs - before
			_, _, want := backlog(t, b, stage)
			for i := range want {
				want[i].Now = got[i].Now
			}
			require.Equal(t, want, got)
			return requests
		}
		require.GreaterOrEqual(t, look(), uint64(partitions))
		for range 3 {
			require.EqualValues(t, 2, look())
		}
		publish(t, b, turn("s1", "for-"+stage, "x"))
		look() // something waits for ingest
		require.EqualValues(t, 2, look())
		run("ingest")
		require.Less(t, look(), uint64(20), "one partition, not all")
		run("evaluator")
		require.Less(t, look(), uint64(20))
		require.EqualValues(t, 2, look())
	}
}

// A reading that waits asks the broker for heartbeats and new requests as rarely as it can.
func TestReadingsThatWaitAskLittle(t *testing.T) {
	broker := natstest.Run(t)
	b := open(t, broker.Conn, natsengine.Keys{}, nil)
	listener := broker.Connect("listener")
	requests, err := listener.SubscribeSync("$JS.API.CONSUMER.MSG.NEXT.INPUT.>")
	require.NoError(t, err)
	require.NoError(t, listener.Flush()) // the one request comes at once, and the next one minutes later
	source, err := natssource.Of(b, "ingest")
	require.NoError(t, err)
	reading, err := source.Read(t.Context(), 0, engine.Position{})
	require.NoError(t, err)
	defer reading.Close()
	asked, err := requests.NextMsgWithContext(t.Context())
	require.NoError(t, err)
	var pull struct {
		Expires   time.Duration `json:"expires"`
		Heartbeat time.Duration `json:"idle_heartbeat"`
	}
	require.NoError(t, json.Unmarshal(asked.Data, &pull))
	require.GreaterOrEqual(t, pull.Heartbeat, 30*time.Second)
	require.GreaterOrEqual(t, pull.Expires, 5*time.Minute)
}
