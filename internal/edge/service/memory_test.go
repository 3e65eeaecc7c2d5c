package service

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestStateBytesScaleWithTheMachine(t *testing.T) {
	require.Equal(t, 5<<20, stateBytes(5<<20), "what is configured counts")
	own := stateBytes(0)
	require.GreaterOrEqual(t, own, leastStateBytes)
	if runtime.GOOS != "linux" {
		return
	}
	require.Positive(t, physical())
	require.LessOrEqual(t, available(), physical())
	require.Equal(t, max(leastStateBytes, int(available()/8)), own)
}
