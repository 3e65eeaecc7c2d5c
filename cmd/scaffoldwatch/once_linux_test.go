package main

import (
	"bytes"
	order "encoding/binary"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/link/credential"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service/system"
)

// A command reads its configuration once. A person's answer that names the operator's credential reads and
// acts through one connection.
func TestAnAnswerReadsAndDialsOnce(t *testing.T) {
	home := t.TempDir()
	keys, fleet, file := filepath.Join(home, "keys"), filepath.Join(home, "fleet"), filepath.Join(home, "config.yaml")
	require.NoError(t, os.Mkdir(keys, 0o700))
	users, err := system.Users(keys)
	require.NoError(t, err)
	require.NoError(t, writeFleet(fleet))
	settings := config.Default()
	settings.HTTP.Address, settings.Streams.Partitions = "", 4
	settings.Reports.Database = filepath.Join(home, "reports.db")
	up, err := system.Start(t.Context(), system.Options{
		Config: settings, Log: slog.New(slog.DiscardHandler), Data: filepath.Join(home, "data"), Listen: "127.0.0.1:0", LazySync: true, Users: users,
	})
	require.NoError(t, err)
	defer func() { require.NoError(t, up.Stop()) }()
	way := throughProxy(t, strings.TrimPrefix(up.URL(), "nats://"))
	text := "nats: {url: \"nats://" + way.address + "\"}\nsecurity: {credentials: " + keys + "}\nstreams: {partitions: 4}\n"
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	opened := countOpened(t, file)
	call := func(args ...string) (code int, out string, reads int, dials int64) {
		var written bytes.Buffer
		reads, dials = opened(), way.dialled.Load()
		code = execute(append([]string{"--config", file}, args...), strings.NewReader(""), &written, &written)
		return code, written.String(), opened() - reads, way.dialled.Load() - dials
	}
	done := func(args ...string) (out string, reads int, dials int64) {
		t.Helper()
		code, out, reads, dials := call(args...)
		require.Equal(t, cli.ExitDone, code, "%s: %s", args, out)
		return out, reads, dials
	}
	done("publish", filepath.Join(fleet, "payments-webhook.jsonl"))
	done("run-event", "run.started", "--run", "nightly", "kind=build")
	var id string
	require.Eventually(t, func() bool {
		code, list, _, _ := call("ack", "--session", "payments-webhook")
		id, _, _ = strings.Cut(list, " ")
		_, runs, _, _ := call("runs")
		return code == cli.ExitDone && len(id) > 8 && strings.Contains(runs, "nightly")
	}, 5*time.Minute, 100*time.Millisecond)

	operator := []string{"--operator", credential.File(keys, credential.Operator)}
	for _, args := range [][]string{
		{"ack", id},
		{"dismiss", id, "--why", "a sample key"},
		{"mute", "--detector", "C1", "--session", "payments-webhook", "--until", "2h", "--why", "noise"},
		{"unmute", "--detector", "C1", "--session", "payments-webhook", "--why", "heard"},
		{"halt", "nightly", "--why", "to look"},
		{"resume", "nightly", "--why", "looked"},
	} {
		out, reads, dials := done(append(args, operator...)...)
		require.Equal(t, 1, reads, "the configuration is read once by %s: %s", args, out)
		require.Equal(t, int64(1), dials, "one connection of %s: %s", args, out)
	}
}

// proxy passes connections on and counts them.
type proxy struct {
	address string
	dialled atomic.Int64
}

func throughProxy(t *testing.T, to string) *proxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p := &proxy{address: listener.Addr().String()}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			in, err := listener.Accept()
			if err != nil {
				return
			}
			p.dialled.Add(1)
			out, err := net.Dial("tcp", to)
			if err != nil {
				_ = in.Close()
				continue
			}
			for from, into := range map[net.Conn]net.Conn{in: out, out: in} {
				all.Go(func() {
					_, _ = io.Copy(into, from)
					_ = errors.Join(in.Close(), out.Close())
				})
			}
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		all.Wait()
	})
	return p
}

// countOpened returns how often a file was opened so far.
func countOpened(t *testing.T, file string) func() int {
	t.Helper()
	watch, err := syscall.InotifyInit1(syscall.IN_NONBLOCK | syscall.IN_CLOEXEC)
	require.NoError(t, err)
	t.Cleanup(func() { _ = syscall.Close(watch) })
	_, err = syscall.InotifyAddWatch(watch, file, syscall.IN_OPEN)
	require.NoError(t, err)
	opened := 0
	return func() int {
		var events [64 << 10]byte
		for {
			n, err := syscall.Read(watch, events[:])
			if err != nil || n <= 0 {
				return opened
			}
			for at := 0; at < n; opened++ {
				at += syscall.SizeofInotifyEvent + int(order.NativeEndian.Uint32(events[at+12:]))
			}
		}
	}
}
