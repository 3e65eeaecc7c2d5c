package obs

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
)

// A stage that may no longer write is not ready, however often it starts again and
// whatever other partitions do.
func TestAStageThatCannotWriteIsNotReady(t *testing.T) {
	var ready error
	p := NewPartitions(func(err error) { ready = err })
	denied := errors.New("permissions violation")
	p.Started(0)
	p.Started(1)
	require.NoError(t, ready)
	p.Committed(1, denied)
	p.Restarting(1, fmt.Errorf("commit partition 1: %w", denied))
	p.Started(1)
	p.Committed(0, nil)
	require.ErrorIs(t, ready, denied)
	require.ErrorContains(t, ready, "partition 1")
	p.Committed(1, nil)
	require.NoError(t, ready)
}

// A failure to read is over once the partition is read; one to write is over, too,
// where nothing is left to write.
func TestAFailureEnds(t *testing.T) {
	var ready error
	p := NewPartitions(func(err error) { ready = err })
	p.Restarting(3, errors.New("no responders"))
	require.Error(t, ready)
	p.Started(3)
	require.NoError(t, ready)
	p.Committed(3, errors.New("timeout"))
	p.Started(3)
	require.Error(t, ready)
	p.UpToDate(3)
	require.NoError(t, ready)
}

// Another owner that committed first is the fence at work.
func TestAFencedPartitionIsHealthy(t *testing.T) {
	var ready error
	p := NewPartitions(func(err error) { ready = err })
	p.Committed(2, fmt.Errorf("commit: %w", engine.ErrFenced))
	p.Restarting(2, engine.ErrFenced)
	require.NoError(t, ready)
}
