package engine

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A step that is done counts, also where its last slice is over: which of both a select takes is
// chance, and an input must not be given up by chance.
func TestAResultCountsBeforeTheClock(t *testing.T) {
	for range 200 {
		done, slice := make(chan int, 1), make(chan time.Time, 1)
		done <- 7
		slice <- time.Time{}
		got, whole := await(done, slice, 1)
		require.True(t, whole)
		require.Equal(t, 7, got)
	}
}

// A process that was stopped for minutes comes back with one slice that is over, not with all.
func TestAPauseCostsASlice(t *testing.T) {
	done, slice := make(chan int), make(chan time.Time)
	ended := make(chan bool)
	go func() {
		_, whole := await(done, slice, 3)
		ended <- whole
	}()
	slice <- time.Time{}
	slice <- time.Time{}.Add(time.Hour)
	done <- 1
	require.True(t, <-ended)

	go func() {
		_, whole := await(done, slice, 3)
		ended <- whole
	}()
	for range 3 {
		slice <- time.Time{}
	}
	require.False(t, <-ended)
}
