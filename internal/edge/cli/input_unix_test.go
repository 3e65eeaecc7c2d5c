//go:build unix

package cli_test

import (
	"context"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/bundle"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
)

// A pipe that nobody writes does not keep a command from ending.
func TestReadingAPipeEndsWithTheCommand(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(name, 0o600))
	require.False(t, bundle.Is(name), "without waiting for a writer")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := (&cli.Call{Context: ctx}).ReadFile(name)
	require.ErrorIs(t, err, context.Canceled)
}
