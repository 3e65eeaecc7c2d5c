package main

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestInputIsReadWhole(t *testing.T) {
	long := strings.Repeat("a line of input\n", 10_000)
	data, err := io.ReadAll((&run{Context: t.Context(), in: strings.NewReader(long)}).input())
	require.NoError(t, err)
	require.Equal(t, long, string(data))
}

// Ctrl-C ends `scan -` although nobody closes the input.
func TestInputEndsWhenBrokenOff(t *testing.T) {
	never, _ := io.Pipe()
	ctx, stop := context.WithCancel(t.Context())
	in := (&run{Context: ctx, in: never}).input()
	stop()
	_, err := io.ReadAll(in)
	require.ErrorIs(t, err, context.Canceled)
}
