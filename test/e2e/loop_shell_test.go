package e2e

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// start starts the shell loop with additional environment variables.
func (l *loops) start(name string, environment ...string) (*exec.Cmd, *bytes.Buffer) {
	l.t.Helper()
	if signal.Ignored(os.Interrupt) { // as under nohup: an ignored signal stays ignored in a child, a handled one does not
		interrupts := make(chan os.Signal, 1)
		signal.Notify(interrupts, os.Interrupt)
		l.t.Cleanup(func() { signal.Stop(interrupts) })
	}
	cmd, out := l.command(name, append(l.names[name], filepath.Join(l.folder, "agent"))...), &bytes.Buffer{}
	cmd.Env = append(cmd.Env, environment...)
	// What the loop starts holds the pipe too, so that it shows what outlives the loop: Wait would report
	// that only for a loop that ends with 0.
	read, write, err := os.Pipe()
	require.NoError(l.t, err)
	cmd.Stdout, cmd.Stderr = write, write
	require.NoError(l.t, cmd.Start())
	require.NoError(l.t, write.Close())
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		_, _ = io.Copy(out, read)
	}()
	l.closed[cmd] = closed
	l.t.Cleanup(func() {
		_ = os.RemoveAll(filepath.Join(l.folder, name, "slow")) // an agent that outlived its loop ends
		_ = cmd.Process.Kill()
	})
	return cmd, out
}

// ends waits for the loop and its children, and returns its exit code.
func (l *loops) ends(cmd *exec.Cmd) int {
	l.t.Helper()
	late := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
	defer late.Stop()
	_ = cmd.Wait() // the exit code is what is asked for
	select {
	case <-l.closed[cmd]:
	case <-time.After(patience):
		require.Fail(l.t, "what the loop started outlived it")
	}
	return cmd.ProcessState.ExitCode()
}

func (l *loops) agent(script string) {
	l.t.Helper()
	require.NoError(l.t, os.WriteFile(filepath.Join(l.folder, "agent"), []byte(script), 0o700))
}

func (l *loops) awaitCalls(name string, want int) {
	l.t.Helper()
	require.Eventually(l.t, func() bool { return l.calls(name) == want }, patience, 10*time.Millisecond)
}

// The shell loop asks before it works: if nobody can be asked, or the call is wrong, the agent is never
// called.
func TestTheShellLoopAsksFirst(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs programs")
	}
	l := startLoops(t)
	script := l.names["shell"][1]
	for name, c := range map[string]struct {
		args        []string
		environment []string
		code        int
		says        string
	}{
		"no broker":     {[]string{"sh", script, "r-1", "./agent"}, []string{"SCAFFOLDWATCH_NATS_URL=nats://127.0.0.1:1"}, 1, "nats://127.0.0.1:1"},
		"no binary":     {[]string{"/bin/sh", script, "r-1", "./agent"}, []string{"PATH=/usr/bin:/bin"}, 1, "scaffoldwatch is not installed"},
		"no such id":    {[]string{"sh", script, "two words", "./agent"}, nil, 2, "is not a run id"},
		"no command":    {[]string{"sh", script, "r-1"}, nil, 2, "examples/loop.sh RUN COMMAND"},
		"no run at all": {[]string{"sh", script}, nil, 2, "Exit codes: 0 done"},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := l.command("shell", c.args...)
			cmd.Env = append(cmd.Env, c.environment...)
			out, err := cmd.CombinedOutput()
			require.Error(t, err)
			require.Equal(t, c.code, cmd.ProcessState.ExitCode(), "%s", out)
			require.Contains(t, string(out), c.says)
			require.Zero(t, l.calls("shell"))
		})
	}
}

// RW-31, RW-33: a soft break in the middle of an iteration lets it finish, and the loop ends at the
// boundary of its task; with WAIT it continues once a person has resumed the run (RW-34).
func TestTheShellLoopDrainsAndWaits(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs programs")
	}
	l := startLoops(t)
	slow := l.touch("shell", "slow")
	l.touch("shell", "works")
	l.agent("#!/bin/sh\necho called >> calls\nwhile [ -e slow ]; do sleep 0.05; done\n[ ! -e last ] || touch DONE\n")
	cmd, out := l.start("shell", "WAIT=1m")
	l.awaitCalls("shell", 1)

	run, err := client.OpenRun(l.nc, "shell", client.RunOptions{Source: "/test", Patience: patience})
	require.NoError(t, err)
	defer run.Close()
	v, err := run.Do(t.Context(), runevents.SpendReported{Spent: 95, Limit: 100, Unit: "usd"})
	require.NoError(t, err)
	require.True(t, v.FinishThenStop(), "%+v", v)
	require.NoError(t, os.Remove(slow))
	require.Eventually(t, func() bool { return l.told("task.completed") == 1 }, patience, 20*time.Millisecond)
	require.Eventually(t, func() bool {
		v, err := l.command("shell", filepath.Join(l.bin, "scaffoldwatch"), "control", "shell").CombinedOutput()
		return err == nil && bytes.Contains(v, []byte("halted"))
	}, patience, 50*time.Millisecond)
	require.Equal(t, 1, l.calls("shell"), "the iteration ended, and no other began")

	l.touch("shell", "last")
	l.resume("shell")
	require.Zero(t, l.ends(cmd), out)
	require.Equal(t, 2, l.calls("shell"), out)
}

// An agent that does not react is killed when its time is over, which counts as a timeout; three of them
// break the run (RW-30).
func TestTheShellLoopKillsADeafAgent(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs programs")
	}
	l := startLoops(t)
	l.agent("#!/bin/sh\ntrap '' TERM\necho called >> calls\nwhile :; do sleep 0.05; done\n")
	cmd, out := l.start("shell", "TIMEOUT=2s", "GRACE=0.2s")
	require.Equal(t, 3, l.ends(cmd), out)
	require.Equal(t, 3, l.calls("shell"))
	require.Contains(t, out.String(), string(runevents.TriggerAgentFailures))
}

// Ctrl-C ends the agent and the loop, even before the shell, on a busy machine, gets to wait for the agent
// that it has just started; that is not a failure of the agent.
func TestTheShellLoopStopsWithItsAgent(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs programs")
	}
	l := startLoops(t)
	busy := filepath.Join(l.folder, "busy")
	require.NoError(t, os.WriteFile(busy, []byte(`trap '[ -z "${!:-}" ] || sleep 0.5' DEBUG`), 0o600))
	// coreutils' timeout, when the signal comes before it knows its command.
	early := filepath.Join(l.folder, "early")
	require.NoError(t, os.Mkdir(early, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(early, "timeout"), []byte(`#!/bin/sh
[ "$1" = -k ] || exec /usr/bin/timeout "$@"
[ -n "${LEADS:-}" ] || LEADS=yes exec setsid "$0" "$@"
shift 3
trap 'exit 143' TERM
"$@" &
wait
`), 0o700))
	l.names["early"] = append([]string{"sh"}, l.names["shell"][1], "early")
	for name, environment := range map[string]string{
		"shell": "", "bash": "", "strict": "BASH_ENV=" + busy, "early": "PATH=" + early + ":" + l.bin + ":" + os.Getenv("PATH"),
	} {
		l.touch(name, "slow")
		l.agent("#!/bin/sh\ntrap 'echo gone > gone; exit 1' TERM\necho called >> calls\nwhile [ -e slow ]; do sleep 0.05; done\n")
		cmd, out := l.start(name, environment)
		l.awaitCalls(name, 1)
		require.NoError(t, cmd.Process.Signal(syscall.SIGINT))
		require.Equal(t, 130, l.ends(cmd), out)
		require.FileExists(t, filepath.Join(l.folder, name, "gone"), "the agent was told")
		require.Contains(t, out.String(), "sent run.completed")
	}
	require.Zero(t, l.told("agent.completed"))
}
