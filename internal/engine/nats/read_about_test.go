package nats_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/erase"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/natstest"
	natsread "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// alone is a stream of which only the leader answers, as all with replicas are.
type alone struct {
	jetstream.Stream
	asked *atomic.Int64
}

func (a alone) CachedInfo() *jetstream.StreamInfo {
	info := *a.Stream.CachedInfo()
	info.Config.AllowDirect = false
	return &info
}

func (a alone) GetMsg(
	ctx context.Context, sequence uint64, options ...jetstream.GetMsgOpt,
) (*jetstream.RawStreamMsg, error) {
	a.asked.Add(1)
	return a.Stream.GetMsg(ctx, sequence, options...)
}

// What a stream with replicas holds of a long run is not a request for each message.
func TestALongRunIsReadAsAWhole(t *testing.T) {
	b := open(t, natstest.Run(t).Conn, natsengine.Keys{}, nil)
	read := func() (ids []string, through uint64) {
		filters := []string{subjects.RunSubjectFilter(runevents.TypeControlChanged, "r")}
		found, through, err := natsread.About(t.Context(), b, "dispatcher", filters)
		require.NoError(t, err)
		for _, a := range found {
			ids = append(ids, a.Input.Event.ID)
		}
		return ids, through
	}
	asked := &atomic.Int64{}
	for part := range 4 {
		var list []events.Event
		for i := range 49 + 2*part {
			list = append(list, control("r", "", runevents.ControlRunning, fmt.Sprintf("%d-%d", part, i)))
		}
		decide(t, b, list...)
		decide(t, b, control("q", "", runevents.ControlRunning, fmt.Sprint("other", part)))
	}
	want, last := read()
	require.Len(t, want, 4*49+2+4+6)
	require.NoError(t, b.Answering(t.Context(), "DECISIONS", func(s jetstream.Stream) jetstream.Stream {
		return alone{s, asked}
	}))
	got, through := read()
	require.Equal(t, want, got)
	require.Equal(t, last, through)
	require.Less(t, asked.Load(), int64(100), "requests")
}

// A purge that was interrupted finds messages again of which the copy for agents is erased already.
func TestWhatIsErasedAlreadyIsErased(t *testing.T) {
	b := open(t, natstest.Run(t).Conn, natsengine.Keys{}, nil)
	for i := range 3 {
		decide(t, b, control("r", "", runevents.ControlRunning, fmt.Sprint("c", i)))
	}
	found, err := erase.Find(t.Context(), b, "r", "")
	require.NoError(t, err)
	require.Len(t, found, 1)
	require.Equal(t, 3, found[0].Messages)
	for range 2 {
		erased := 0
		require.NoError(t, erase.Remove(t.Context(), b, found, func() { erased++ }))
		require.Equal(t, 3, erased)
	}
	found, err = erase.Find(t.Context(), b, "r", "")
	require.NoError(t, err)
	require.Empty(t, found)
}
