package heap

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestPercentFor(t *testing.T) {
	for live, percent := range map[uint64]int{
		0:         least/first*usual - usual,
		32 << 20:  300, // 32 MB grow to 128 MB
		64 << 20:  100,
		100 << 20: 100,
		1 << 30:   100, // above the floor as usual
	} {
		require.Equal(t, percent, percentFor(live, least), "%d bytes in use", live)
	}
}

// percent returns the percentage in force.
func percent() int {
	now := debug.SetGCPercent(usual)
	debug.SetGCPercent(now)
	return now
}

var kept []byte

// The percentage follows what is in use, collection by collection, until the usual one is asked for.
func TestFloorFollowsTheHeap(t *testing.T) {
	if decided() {
		t.Skip("GOGC or GOMEMLIMIT is set")
	}
	is := func(want func(int) bool) func() bool { return func() bool { return want(percent()) } }
	kept = make([]byte, 40<<20)
	runtime.GC()
	require.Eventually(t, is(func(p int) bool { return p > usual && p <= percentFor(40<<20, least) }), time.Minute, time.Millisecond)
	kept = make([]byte, 200<<20)
	runtime.GC()
	require.Eventually(t, is(func(p int) bool { return p == usual }), time.Minute, time.Millisecond)
	kept = nil
	runtime.GC()
	require.Eventually(t, is(func(p int) bool { return p > percentFor(40<<20, least) }), time.Minute, time.Millisecond)
	Usual()
	runtime.GC()
	time.Sleep(10 * time.Millisecond)
	require.Equal(t, usual, percent())
	Raise(4 * least)
	kept = make([]byte, 100<<20)
	runtime.GC()
	require.Eventually(t, is(func(p int) bool { return p > usual && p <= percentFor(100<<20, 4*least) }), time.Minute, time.Millisecond)
	kept = nil
	Usual()
	require.Equal(t, usual, percent())
}
