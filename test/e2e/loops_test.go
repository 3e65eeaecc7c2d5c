package e2e

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/link/credential"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service/system"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// failingAgent records that it was called, waits if the test asks for it, and fails until the file "works"
// exists; then it reports that the work is done.
const failingAgent = `#!/bin/sh
echo called >> calls
while [ -e slow ]; do sleep 0.05; done
[ -e works ] || exit 1
touch DONE
`

// loops is a system with the two example loops and an agent for them.
type loops struct {
	*running
	folder string
	home   string                      // its configuration, with the keys
	bin    string                      // contains the programs
	names  map[string][]string         // command lines of the loops
	closed map[*exec.Cmd]chan struct{} // when nobody holds a loop's output any more
}

func startLoops(t *testing.T) *loops {
	t.Helper()
	l := &loops{folder: t.TempDir(), home: t.TempDir(), closed: map[*exec.Cmd]chan struct{}{}}
	keys, err := credential.Directory(filepath.Join(l.home, "scaffoldwatch", "credentials"))
	require.NoError(t, err)
	users, err := system.Users(keys)
	require.NoError(t, err)
	l.running = startWith(t, nil, "127.0.0.1:0", users...)
	top, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	l.bin = programs(t)
	require.NoError(t, os.WriteFile(filepath.Join(l.folder, "agent"), []byte(failingAgent), 0o700))
	l.names = map[string][]string{
		"shell":  {"sh", filepath.Join(top, "examples", "loop.sh"), "shell"},
		"bash":   {"bash", filepath.Join(top, "examples", "loop.sh"), "bash"},
		"strict": {"bash", "-euo", "pipefail", filepath.Join(top, "examples", "loop.sh"), "strict"},
		"go":     {filepath.Join(l.bin, "loop-go"), "-server", l.URL(), "-run", "go"},
	}
	return l
}

// command returns a command line in a folder of the loop, with the system's address.
func (l *loops) command(name string, args ...string) *exec.Cmd {
	folder := filepath.Join(l.folder, name)
	require.NoError(l.t, os.MkdirAll(folder, 0o700))
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "PATH="+l.bin+":"+os.Getenv("PATH"), "SCAFFOLDWATCH_NATS_URL="+l.URL(), "XDG_CONFIG_HOME="+l.home)
	return cmd
}

// loop runs the loop to its end.
func (l *loops) loop(name string) (code int, out string) {
	l.t.Helper()
	cmd := l.command(name, append(l.names[name], filepath.Join(l.folder, "agent"))...)
	text, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) {
		require.NoError(l.t, err)
	}
	return cmd.ProcessState.ExitCode(), string(text)
}

func (l *loops) calls(name string) int {
	text, err := os.ReadFile(filepath.Join(l.folder, name, "calls"))
	if os.IsNotExist(err) {
		return 0
	}
	require.NoError(l.t, err)
	return strings.Count(string(text), "called")
}

func (l *loops) touch(name, file string) string {
	path := filepath.Join(l.folder, name, file)
	require.NoError(l.t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(l.t, os.WriteFile(path, nil, 0o600))
	return path
}

func (l *loops) resume(name string) {
	l.t.Helper()
	out, err := l.command(name, filepath.Join(l.bin, "scaffoldwatch"), "resume", name, "--why", "the agent was repaired", "--by", "ann",
		"--operator", filepath.Join(l.home, "scaffoldwatch", "credentials", "operator.nk")).CombinedOutput()
	require.NoError(l.t, err, "%s", out)
	require.Regexp(l.t, name+" (is running|was resumed, and has ended since)", string(out), "a loop that waits may be through by now")
}

// RW-30, RW-33, RW-34: a loop around an agent that always fails ends at the third failure, does not restart
// while it is halted, and continues once resumed.
func TestLoopsStopAtTheBreak(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs programs")
	}
	l := startLoops(t)
	for name := range l.names {
		t.Run(name, func(t *testing.T) {
			code, out := l.loop(name)
			require.Equal(t, 3, code, out)
			require.Equal(t, 3, l.calls(name), "not one iteration after the break: %s", out)
			require.Contains(t, out, string(runevents.TriggerAgentFailures))

			code, out = l.loop(name)
			require.Equal(t, 3, code, "it is halted still: %s", out)
			require.Equal(t, 3, l.calls(name))

			l.resume(name)
			l.touch(name, "works")
			code, out = l.loop(name)
			require.Zero(t, code, out)
			require.Equal(t, 4, l.calls(name))
		})
	}
}

// A halt in the middle of an iteration stops the Go loop's agent (RW-33), and the waiting loop continues by
// itself once a person has resumed the run (RW-34).
func TestALoopIsStoppedInTheMiddle(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs programs")
	}
	l := startLoops(t)
	slow := l.touch("go", "slow")
	var out bytes.Buffer
	cmd := l.command("go", append(append(l.names["go"], "-wait"), filepath.Join(l.folder, "agent"))...)
	cmd.Stdout, cmd.Stderr = &out, &out
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	require.Eventually(t, func() bool { return l.calls("go") == 1 }, patience, 10*time.Millisecond)

	run, err := client.OpenRun(l.nc, "go", client.RunOptions{Source: "/test", Patience: patience})
	require.NoError(t, err)
	defer run.Close()
	v, err := run.Do(t.Context(), runevents.SpendReported{Spent: 10, Limit: 10, Unit: "usd"})
	require.NoError(t, err)
	require.True(t, v.MustStop(), "%+v", v)
	// The agent is stopped and the loop reports it; only then may it be resumed.
	require.Eventually(t, func() bool {
		return l.told("agent.completed") == 1
	}, patience, 20*time.Millisecond, "the agent is still running")
	require.NoError(t, os.Remove(slow))
	l.touch("go", "works")
	l.resume("go")
	require.NoError(t, cmd.Wait(), "%s", &out)
	require.Equal(t, 2, l.calls("go"))
	require.Contains(t, out.String(), "run go is halted, waiting")
}

// told returns the number of different events of a type in INPUT.
func (l *loops) told(typ events.Type) int {
	l.t.Helper()
	stream, err := l.broker.JetStream().Stream(l.t.Context(), string(events.StreamInput))
	require.NoError(l.t, err)
	ids := map[string]bool{} // INPUT keeps what a publisher sends twice
	for sequence := uint64(1); sequence <= stream.CachedInfo().State.LastSeq; sequence++ {
		msg, err := stream.GetMsg(l.t.Context(), sequence)
		if err == nil && msg.Header.Get("ce-type") == string(typ) {
			ids[msg.Subject+" "+msg.Header.Get("ce-id")] = true
		}
	}
	return len(ids)
}
