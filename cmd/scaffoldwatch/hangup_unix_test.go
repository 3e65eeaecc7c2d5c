//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// Under nohup, which has SIGHUP ignored, `up` goes on; hangup.txtar shows that it ends in order otherwise.
func TestAnIgnoredHangupEndsNothing(t *testing.T) {
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, syscall.SIGHUP) // a test in the background may ignore it
	defer signal.Stop(heard)
	require.Contains(t, endings(), os.Signal(syscall.SIGHUP))
	signal.Ignore(syscall.SIGHUP)
	defer signal.Notify(heard, syscall.SIGHUP) // else programs that other tests start inherit that it is ignored
	require.NotContains(t, endings(), os.Signal(syscall.SIGHUP))
	require.Contains(t, endings(), os.Signal(syscall.SIGTERM))
}
