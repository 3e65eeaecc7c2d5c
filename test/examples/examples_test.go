package examples

import (
	"context"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service/system"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// running starts a whole system and returns its address. When the test ends, nothing
// that the example published may have been refused.
func running(t *testing.T) string {
	t.Helper()
	c := config.Default()
	c.HTTP.Address = ""
	s, err := system.Start(context.Background(), system.Options{
		Config: c, Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Data: t.TempDir(), Listen: "127.0.0.1:0", LazySync: true,
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Stop()) })
	t.Cleanup(func() { require.Empty(t, refused(t, s.URL())) })
	return s.URL()
}

// refused returns the dead letters of a system.
func refused(t *testing.T, address string) []string {
	t.Helper()
	conn, err := nats.Connect(address)
	require.NoError(t, err)
	defer conn.Close()
	js, err := jetstream.New(conn)
	require.NoError(t, err)
	stream, err := js.Stream(context.Background(), string(events.StreamDeadLetter))
	require.NoError(t, err)
	var reasons []string
	for sequence := uint64(1); sequence <= stream.CachedInfo().State.LastSeq; sequence++ {
		m, err := stream.GetMsg(context.Background(), sequence)
		require.NoError(t, err)
		reasons = append(reasons, string(m.Data))
	}
	return reasons
}

// program returns the path of a program, or skips the test.
func program(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not installed", name)
	}
	return path
}

// run starts an example and returns what it prints.
func run(t *testing.T, dir, address, name string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, name, args...)
	command.Dir = dir
	command.Env = append(os.Environ(), "NATS_URL="+address, "PYTHONDONTWRITEBYTECODE=1")
	out, err := command.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return string(out)
}

// A Python program without any package publishes, hears an interrupt that it
// checks, asks a gate and reads the control state.
func TestPython(t *testing.T) {
	python := program(t, "python3")
	out := run(t, filepath.Join("..", "..", "examples", "python"), running(t), python, "watched_agent.py")
	require.Contains(t, out, "URGENCY: B1-ESCALATE")
	require.Contains(t, out, "Credential in pay.py at AWS_ACCESS_KEY_ID (line 1)")
	require.Contains(t, out, "gate: allow")
	require.Contains(t, out, "control: running")
}

// The same in Node with the NATS packages, for a loop.
func TestNode(t *testing.T) {
	if testing.Short() {
		t.Skip("installs packages")
	}
	node, npm := program(t, "node"), program(t, "npm")
	dir := t.TempDir()
	for _, name := range []string{"package.json", "watched_agent.mjs"} {
		data, err := os.ReadFile(filepath.Join("..", "..", "examples", "node", name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o644))
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	install := exec.CommandContext(ctx, npm, "install", "--no-audit", "--no-fund", "--fetch-retries=0")
	install.Dir = dir
	if out, err := install.CombinedOutput(); err != nil {
		t.Skipf("the packages cannot be installed here: %v\n%s", err, out)
	}
	out := run(t, dir, running(t), node, "watched_agent.mjs")
	require.Contains(t, out, "CLASS-C | URGENCY: 4.0")
	require.Contains(t, out, "gate: allow")
	require.Contains(t, out, "control: running")
}
