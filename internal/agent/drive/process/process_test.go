//go:build unix

package process

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func run(t *testing.T, script string) *Process {
	t.Helper()
	p, err := Start(Command{Args: []string{"sh", "-c", script}})
	require.NoError(t, err)
	t.Cleanup(func() { p.Stop(time.Second) })
	return p
}

// lines reads all the agent writes.
func lines(t *testing.T, p *Process) []string {
	t.Helper()
	var out []string
	for {
		data, err := p.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		require.NoError(t, err)
		out = append(out, string(data))
	}
}

// TestConversation writes JSON lines, reads lines, and passes stderr on.
func TestConversation(t *testing.T) {
	var problems bytes.Buffer
	p, err := Start(Command{Args: []string{"sh", "-c", `read line; echo "got $line"; echo "$GREETING" >&2; pwd`}, Dir: "/", Env: []string{"GREETING=hello"}, Stderr: &problems})
	require.NoError(t, err)
	require.NoError(t, p.Write(map[string]int{"a": 1}))
	require.Equal(t, []string{`got {"a":1}`, "/"}, lines(t, p))
	require.NoError(t, p.Wait())
	p.Stop(time.Second)
	require.Equal(t, "hello\n", problems.String())
	require.ErrorIs(t, p.Write(1), ErrEnded)
	require.Error(t, p.Write(func() {}))
}

// TestDead says how an agent ended, and that nothing can be written any more.
func TestDead(t *testing.T) {
	p := run(t, "exit 7")
	require.ErrorContains(t, p.Wait(), "sh ended with exit status 7")
	require.ErrorIs(t, p.Write(1), ErrEnded, "the pipe is broken")
	require.ErrorIs(t, p.Write(1), ErrEnded, "and stays so")
	_, err := Start(Command{})
	require.ErrorContains(t, err, "no command")
	_, err = Start(Command{Args: []string{"/no/such/agent"}})
	require.ErrorContains(t, err, "start /no/such/agent")
}

// TestSlowReader gives up on an agent that does not read its input, instead of
// waiting for it.
func TestSlowReader(t *testing.T) {
	p := run(t, "sleep 60")
	err := p.Write(strings.Repeat("x", 1<<20)) // more than a pipe holds
	require.ErrorContains(t, err, "sh does not read its input")
	require.NotErrorIs(t, err, ErrEnded, "a part may have arrived")
	require.ErrorIs(t, p.Write(1), ErrEnded)
}

// TestStopReachesWhatItStarted ends an agent that ignores being asked, and the
// processes it left behind.
func TestStopReachesWhatItStarted(t *testing.T) {
	p := run(t, `trap "" TERM; sleep 600 & echo $!; while true; do sleep 1; done`)
	first, err := p.Next()
	require.NoError(t, err)
	child, err := strconv.Atoi(string(first))
	require.NoError(t, err)
	p.Stop(50 * time.Millisecond)
	require.ErrorContains(t, p.Wait(), "killed")
	require.Eventually(t, func() bool { return gone(child) }, time.Minute, 10*time.Millisecond)

	ctx, cancel := context.WithCancel(t.Context())
	p = run(t, "sleep 60 & wait")
	defer p.StopWith(ctx, 50*time.Millisecond)()
	cancel()
	require.Error(t, p.Wait())
}

// gone reports a process that ended, or is only still to be waited for.
func gone(pid int) bool {
	if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return true
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err != nil || strings.Contains(string(stat), ") Z ")
}

// TestSuspend freezes the agent with what it started, and lets it go on; one that
// is frozen can be ended.
func TestSuspend(t *testing.T) {
	p := run(t, `while read line; do echo "got $line"; done`)
	require.NoError(t, p.Write(1))
	line, err := p.Next()
	require.NoError(t, err)
	require.Equal(t, "got 1", string(line))
	require.NoError(t, p.Suspend())
	require.NoError(t, p.Suspend())
	require.Eventually(t, func() bool { return state(t, p.cmd.Process.Pid) == "T" }, time.Minute, time.Millisecond)
	require.NoError(t, p.Write(2))
	p.Resume()
	line, err = p.Next()
	require.NoError(t, err)
	require.Equal(t, "got 2", string(line))
	require.NoError(t, p.Suspend())
	p.Stop(time.Minute) // its input is closed, and it ends by itself
	require.NoError(t, p.Wait())
	require.ErrorIs(t, p.Suspend(), ErrEnded)
	p.Resume()
}

// state returns the letter that the system has for what a process does.
func state(t *testing.T, pid int) string {
	t.Helper()
	out, err := exec.Command("ps", "-o", "state=", "-p", strconv.Itoa(pid)).Output()
	require.NoError(t, err)
	return strings.TrimSpace(string(out))[:1]
}
