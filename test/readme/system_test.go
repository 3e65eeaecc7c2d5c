package readme

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/demo"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/natstest"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// built is the folder of the program, "" until a test needs it.
var built string

// build builds the program once for all tests and returns its folder.
var build = sync.OnceValues(func() (string, error) {
	folder, err := os.MkdirTemp("", "scaffoldwatch-readme-")
	if err != nil {
		return "", err
	}
	built = folder
	command := exec.Command("go", "build", "-buildvcs=false", "-tags", "gore2regex", "-o", folder, "./cmd/scaffoldwatch")
	command.Dir = filepath.Join("..", "..")
	if text, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build: %w\n%s", err, text)
	}
	return folder, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if built != "" {
		_ = os.RemoveAll(built)
	}
	os.Exit(code)
}

// patience is how long a test waits for what must happen on a busy machine.
const patience = 3 * time.Minute

// desk is where documented commands are run: a home and a working folder with the files that the
// documentation mentions, the binary in PATH, and the address of a running system in the environment.
type desk struct {
	t       *testing.T
	folder  string
	binary  string
	environ []string
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{t: t, folder: t.TempDir()}
	programs, err := build()
	require.NoError(t, err)
	d.binary = filepath.Join(programs, "scaffoldwatch")
	address := natstest.FreeAddresses(t, 1)[0]
	d.environ = append(os.Environ(), "HOME="+d.folder, "PATH="+programs+":"+os.Getenv("PATH"),
		"SCAFFOLDWATCH_NATS_URL=nats://"+address, "SCAFFOLDWATCH_TEST_FAST=1")

	project := filepath.Join(d.folder, ".claude", "projects", "shop")
	require.NoError(t, os.MkdirAll(project, 0o700))
	fleet, err := demo.Sessions(time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC))
	require.NoError(t, err)
	for _, session := range fleet {
		d.write(filepath.Join(project, session[0].Subject+".jsonl"), session)
		switch session[0].Subject {
		case "payments-webhook":
			d.write(filepath.Join(d.folder, "session.jsonl"), session)
		case "csv-export":
			d.write(filepath.Join(d.folder, "events.jsonl"), session)
		}
	}
	for _, name := range []string{"archeflow", "ralph"} {
		require.NoError(t, os.CopyFS(filepath.Join(d.folder, "examples", name), os.DirFS(filepath.Join("..", "..", "examples", name))))
	}
	require.NoError(t, os.WriteFile(filepath.Join(d.folder, "ours.yaml"), []byte("refetch:\n  window_turns: 6\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(d.folder, "scaffoldwatch.yaml"), []byte("log:\n  level: warn\n"), 0o600))
	return d
}

// address returns the address of the system in host:port form.
func (d *desk) address() string {
	for _, e := range d.environ {
		if url, ok := strings.CutPrefix(e, "SCAFFOLDWATCH_NATS_URL=nats://"); ok {
			return url
		}
	}
	return ""
}

// write writes events to a file, as a CloudEvents log.
func (d *desk) write(path string, list []events.Event) {
	d.t.Helper()
	var text []byte
	for _, e := range list {
		line, err := events.MarshalStructured(e)
		require.NoError(d.t, err)
		text = append(append(text, line...), '\n')
	}
	require.NoError(d.t, os.WriteFile(path, text, 0o600))
}

// shell runs one documented statement and returns its output and exit code.
func (d *desk) shell(statement string) (output string, code int) {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", statement)
	cmd.Dir, cmd.Env = d.folder, d.environ
	text, err := cmd.CombinedOutput()
	if err != nil {
		var exit *exec.ExitError
		require.ErrorAs(d.t, err, &exit, statement)
		return string(text), exit.ExitCode()
	}
	return string(text), 0
}

// program is a scaffoldwatch that runs in the background.
type program struct {
	cmd  *exec.Cmd
	done chan error

	mu   sync.Mutex
	text bytes.Buffer
}

// Write stores the program's output.
func (p *program) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.Write(b)
}

func (p *program) output() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.String()
}

func (d *desk) start(args ...string) *program {
	d.t.Helper()
	p := &program{cmd: exec.Command(d.binary, args...), done: make(chan error, 1)}
	p.cmd.Dir, p.cmd.Env = d.folder, d.environ
	p.cmd.Stdout, p.cmd.Stderr = p, p
	require.NoError(d.t, p.cmd.Start())
	go func() { p.done <- p.cmd.Wait() }()
	d.t.Cleanup(func() { _ = p.cmd.Process.Kill() })
	return p
}

// stop asks the program to end, as a service manager does, and requires exit code 0.
func (d *desk) stop(p *program) {
	d.t.Helper()
	require.NoError(d.t, p.cmd.Process.Signal(syscall.SIGTERM))
	select {
	case err := <-p.done:
		require.NoError(d.t, err, "%s", p.output())
	case <-time.After(patience):
		d.t.Fatalf("%v does not stop:\n%s", p.cmd.Args, p.output())
	}
}

// await waits until the condition holds.
func (d *desk) await(what string, condition func() bool) {
	d.t.Helper()
	require.Eventually(d.t, condition, patience, 20*time.Millisecond, what)
}
