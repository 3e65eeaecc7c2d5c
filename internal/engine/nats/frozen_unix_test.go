//go:build unix

package nats_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/natstest"
)

// A server that is frozen keeps its connections and answers nothing: each client is with another
// server within 20 s, also one whose writes nobody takes any more (EV-11).
func TestAFrozenServerIsLeft(t *testing.T) {
	frozen, other := natstest.RunProcess(t), natstest.Run(t)
	for name, busy := range map[string]bool{"idle": false, "busy": true} {
		t.Run(name, func(t *testing.T) {
			var lost atomic.Int32
			nc, err := natsengine.Connect(t.Context(), natsengine.ConnectOptions{
				URL: frozen.URL, Name: "client", OnState: func(err error) {
					if err != nil {
						lost.Add(1)
					}
				},
			})
			require.NoError(t, err)
			t.Cleanup(nc.Close)
			require.NoError(t, nc.SetServerPool([]string{frozen.URL, other.URL}))
			frozen.Freeze()
			defer frozen.Thaw()
			began, there := time.Now(), func() bool { return nc.IsConnected() && nc.ConnectedUrl() == other.URL }
			for !there() && time.Since(began) < 30*time.Second {
				if busy {
					_ = nc.Publish("nobody.reads", make([]byte, 1<<20))
				}
				time.Sleep(20 * time.Millisecond)
			}
			require.True(t, there(), "still at the frozen server")
			require.Less(t, time.Since(began), 20*time.Second)
			// The client calls its handlers from a goroutine of their own.
			require.Eventually(t, func() bool { return lost.Load() > 0 }, time.Minute, 10*time.Millisecond, "it is told that the connection was lost")
		})
	}
}
