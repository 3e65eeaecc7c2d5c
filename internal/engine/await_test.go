package engine

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// waiting is a call within a budget of twenty slices of a second, each of which the test ends.
type waiting struct {
	done  chan int
	slice chan time.Time
	ended chan bool
}

func wait(computed time.Duration) waiting {
	w := waiting{done: make(chan int), slice: make(chan time.Time), ended: make(chan bool, 1)}
	go func() {
		_, whole := await(w.done, w.slice, budgetSlices*time.Second, func() time.Duration { return computed })
		w.ended <- whole
	}()
	return w
}

// A step that is done counts, also where its last slice is over: which of both a select takes is
// chance, and an input must not be given up by chance.
func TestAResultCountsBeforeTheClock(t *testing.T) {
	for range 200 {
		done, slice := make(chan int, 1), make(chan time.Time, budgetSlices)
		done <- 7
		for range budgetSlices {
			slice <- time.Time{}
		}
		got, whole := await(done, slice, budgetSlices*time.Second, func() time.Duration { return time.Second })
		require.True(t, whole)
		require.Equal(t, 7, got)
	}
}

// A process that was stopped for minutes comes back with one slice that is over, not with all.
func TestAPauseCostsASlice(t *testing.T) {
	w := wait(time.Hour)
	for i := range budgetSlices - 1 {
		w.slice <- time.Time{}.Add(time.Duration(i) * time.Hour)
	}
	w.done <- 1
	require.True(t, <-w.ended)

	w = wait(time.Hour)
	for range budgetSlices {
		w.slice <- time.Time{}
	}
	require.False(t, <-w.ended)
}

// What waits for a core is not slow: a process that gets a quarter of one has four times as long.
// What never computes is given up as well.
func TestWorkIsCountedNotTime(t *testing.T) {
	for computed, slices := range map[time.Duration]int{time.Second / 4: 80, 0: 200} {
		w := wait(computed)
		for range slices - 1 {
			w.slice <- time.Time{}
		}
		w.done <- 1
		require.True(t, <-w.ended, computed)

		w = wait(computed)
		for range slices + 1 { // sums of tenths are a little less
			select {
			case w.slice <- time.Time{}:
			case whole := <-w.ended:
				w.ended <- whole
			}
		}
		require.False(t, <-w.ended, computed)
	}
}

// The clock of the process runs with what it computes.
func TestComputedGrowsWithWork(t *testing.T) {
	before := computed()
	for began := time.Now(); computed() < before+20*time.Millisecond; {
		require.Less(t, time.Since(began), time.Minute)
	}
}
