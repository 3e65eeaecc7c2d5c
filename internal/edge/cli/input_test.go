package cli

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestInputIsReadWhole(t *testing.T) {
	long := strings.Repeat("a line of input\n", 10_000)
	data, err := io.ReadAll((&Call{Context: t.Context(), Stdin: strings.NewReader(long)}).Input())
	require.NoError(t, err)
	require.Equal(t, long, string(data))
}

// Ctrl-C ends `scan -` although nobody closes the input.
func TestInputEndsWhenBrokenOff(t *testing.T) {
	never, _ := io.Pipe()
	ctx, stop := context.WithCancel(t.Context())
	in := (&Call{Context: ctx, Stdin: never}).Input()
	stop()
	_, err := io.ReadAll(in)
	require.ErrorIs(t, err, context.Canceled)
}
