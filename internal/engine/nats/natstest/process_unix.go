//go:build unix

package natstest

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/embedded"
)

// serverVariable makes a test's binary a server: its folder and its address.
const serverVariable = "SCAFFOLDWATCH_NATSTEST_SERVER"

func init() {
	if folder, address, is := strings.Cut(os.Getenv(serverVariable), "|"); is {
		os.Exit(serve(folder, address))
	}
}

func serve(folder, address string) int {
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM)
	var port int
	if _, err := fmt.Sscanf(address, "127.0.0.1:%d", &port); err != nil {
		fmt.Fprintln(os.Stderr, "natstest: ", err)
		return 1
	}
	server, err := embedded.Start(embedded.Options{Dir: folder, Port: port, LazySync: true})
	if err != nil {
		fmt.Fprintln(os.Stderr, "natstest: ", err)
		return 1
	}
	<-stop
	if server.Shutdown() != nil {
		return 1
	}
	return 0
}

// Process is a server in a process of its own, which can be frozen.
type Process struct {
	URL string

	t       testing.TB
	command *exec.Cmd
}

// RunProcess starts a server that is stopped when the test ends.
func RunProcess(t testing.TB) *Process {
	t.Helper()
	address := FreeAddresses(t, 1)[0]
	p := &Process{URL: "nats://" + address, t: t, command: exec.Command(os.Args[0])} //nolint:gosec // this test
	p.command.Env = append(os.Environ(), serverVariable+"="+t.TempDir()+"|"+address)
	p.command.Stderr = os.Stderr
	require.NoError(t, p.command.Start())
	t.Cleanup(func() {
		p.Thaw()
		_ = p.command.Process.Signal(syscall.SIGTERM)
		_ = p.command.Wait()
	})
	require.Eventually(t, func() bool {
		nc, err := nats.Connect(p.URL)
		if err == nil {
			nc.Close()
		}
		return err == nil
	}, time.Minute, 50*time.Millisecond, "no server at %s", p.URL)
	return p
}

// Freeze stops the process: its connections stay open, and nothing is read from them.
func (p *Process) Freeze() { require.NoError(p.t, p.command.Process.Signal(syscall.SIGSTOP)) }

// Thaw lets it go on.
func (p *Process) Thaw() { require.NoError(p.t, p.command.Process.Signal(syscall.SIGCONT)) }
