//go:build unix

package main

import (
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// Under nohup, which has SIGHUP ignored, `up` goes on; hangup.txtar shows that it ends in order otherwise. A
// process of its own ignores it: what other tests start would inherit that.
func TestAnIgnoredHangupEndsNothing(t *testing.T) {
	const inside = "SCAFFOLDWATCH_TEST_HANGUP"
	if os.Getenv(inside) != "" {
		require.NotContains(t, endings(), os.Signal(syscall.SIGHUP))
		require.Contains(t, endings(), os.Signal(syscall.SIGTERM))
		return
	}
	again := exec.Command("sh", "-c", `trap '' HUP; exec "$0" -test.run '^TestAnIgnoredHangupEndsNothing$'`, os.Args[0])
	again.Env = append(os.Environ(), inside+"=1")
	output, err := again.CombinedOutput()
	require.NoError(t, err, "%s", output)
}
