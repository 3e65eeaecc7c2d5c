package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// ownNetwork names the variable that tells this process that it is in a network of its own.
const ownNetwork = "SCAFFOLDWATCH_TEST_ALONE"

// The whole system, with an advisor that asks through a real client, in a network that has only loopback:
// the kernel counts each attempt to reach another address, and there is none (AD-6).
func TestNothingLeavesTheMachine(t *testing.T) {
	if os.Getenv(ownNetwork) != "" {
		nothingLeaves(t)
		return
	}
	folder := programs(t)
	self, err := os.Executable()
	require.NoError(t, err)
	command := exec.Command(self, "-test.run", "^TestNothingLeavesTheMachine$", "-test.v", "-test.timeout", "10m")
	command.Env = append(os.Environ(), ownNetwork+"="+folder)
	command.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWNET | syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	out, err := command.CombinedOutput()
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EINVAL) {
		t.Skipf("this machine gives a process no network of its own: %v", err)
	}
	require.NoError(t, err, "%s", out)
	t.Logf("%s", out)
}

func nothingLeaves(t *testing.T) {
	raiseLoopback(t)
	before := unrouted(t)
	_, err := (&net.Dialer{Timeout: time.Second}).DialContext(t.Context(), "tcp4", "192.0.2.1:443")
	require.Error(t, err)
	control := unrouted(t)
	require.Greater(t, control, before, "an attempt is counted")

	var asked atomic.Int64
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{
			"id": "m", "type": "message", "role": "assistant", "model": "m-1", "stop_reason": "end_turn",
			"content": []any{map[string]any{"type": "text", "text": `{"verdict":"unsure","worth_saying":"no","why":"It is not shown.","quotes":[]}`}},
			"usage":   map[string]any{"input_tokens": 40, "output_tokens": 20},
		})
	}))
	defer provider.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, filepath.Join(os.Getenv(ownNetwork), "scaffoldwatch"), "up", "--demo", "--data", t.TempDir(), "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0")
	command.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "ADVISOR_TEST_KEY=" + strings.Repeat("x9", 12),
		"SCAFFOLDWATCH_ADVISOR_PROVIDER=anthropic", "SCAFFOLDWATCH_ADVISOR_MODEL=m-1", "SCAFFOLDWATCH_ADVISOR_KEY=$ADVISOR_TEST_KEY",
		"SCAFFOLDWATCH_ADVISOR_BASE_URL=" + provider.URL + "/",
	}
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGTERM) }
	out, err := command.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Positive(t, asked.Load(), "the model was asked: %s", out)
	require.Equal(t, control, unrouted(t), "another address was to be reached: %s", out)
}

// raiseLoopback makes 127.0.0.1 reachable in a new network.
func raiseLoopback(t *testing.T) {
	t.Helper()
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)
	require.NoError(t, err)
	defer func() { _ = unix.Close(socket) }()
	request, err := unix.NewIfreq("lo")
	require.NoError(t, err)
	request.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	require.NoError(t, unix.IoctlIfreq(socket, unix.SIOCSIFFLAGS, request))
}

// unrouted counts the packets without a route out of this network, IPv4 and IPv6.
func unrouted(t *testing.T) (n int) {
	t.Helper()
	text, err := os.ReadFile("/proc/self/net/snmp")
	require.NoError(t, err)
	var names []string
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if fields[0] != "Ip:" {
			continue
		}
		if names == nil {
			names = fields
			continue
		}
		for i, name := range names {
			if name == "OutNoRoutes" {
				n += number(t, fields[i])
			}
		}
	}
	text, err = os.ReadFile("/proc/self/net/snmp6")
	if errors.Is(err, os.ErrNotExist) {
		return n
	}
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) == 2 && fields[0] == "Ip6OutNoRoutes" {
			n += number(t, fields[1])
		}
	}
	return n
}

func number(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	require.NoError(t, err, fmt.Sprintf("a counter: %s", text))
	return n
}
