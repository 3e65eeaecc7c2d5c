package agents

import (
	"bytes"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// system is a running `scaffoldwatch up` of its own.
type system struct {
	t    *testing.T
	url  string
	js   jetstream.JetStream
	logs *bytes.Buffer // read it after the process has ended
}

// freeAddress is one where nothing listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().String()
}

// start runs the real program on free ports, its data in a temporary folder.
func start(t *testing.T) *system {
	t.Helper()
	broker, web := freeAddress(t), freeAddress(t)
	s := &system{t: t, url: "http://" + web, logs: &bytes.Buffer{}}
	command := exec.Command(filepath.Join(binaries(t), "scaffoldwatch"), "up", "--quiet", "--lazy-sync",
		"--data", t.TempDir(), "--listen", broker, "--http", web)
	command.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}
	command.Stdout, command.Stderr = s.logs, s.logs
	require.NoError(t, command.Start())
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	t.Cleanup(func() {
		_ = command.Process.Signal(syscall.SIGTERM)
		require.NoError(t, <-ended, "%s", s.logs)
		if t.Failed() {
			t.Logf("the system said:\n%s", tail(s.logs.String(), 4000))
		}
	})
	require.Eventually(t, s.ready, 30*time.Second, 20*time.Millisecond)
	nc, err := nats.Connect("nats://" + broker)
	require.NoError(t, err)
	t.Cleanup(nc.Close)
	s.js, err = jetstream.New(nc)
	require.NoError(t, err)
	return s
}

func (s *system) ready() bool {
	answer, err := http.Get(s.url + "/readyz")
	if err != nil {
		return false
	}
	defer answer.Body.Close()
	return answer.StatusCode == http.StatusOK
}

// input lists the data of a type that lies in INPUT.
func (s *system) input(typ events.Type) []json.RawMessage {
	s.t.Helper()
	ctx := s.t.Context()
	stream, err := s.js.Stream(ctx, string(events.StreamInput))
	require.NoError(s.t, err)
	info, err := stream.Info(ctx)
	require.NoError(s.t, err)
	var found []json.RawMessage
	for seq := info.State.FirstSeq; seq <= info.State.LastSeq; seq++ {
		message, err := stream.GetMsg(ctx, seq)
		require.NoError(s.t, err)
		if message.Header.Get("ce-type") == string(typ) {
			found = append(found, message.Data)
		}
	}
	return found
}

// session is the session that the agent's hooks tell of.
func (s *system) session() string {
	s.t.Helper()
	list := s.input(events.TypeHookReceived)
	require.NotEmpty(s.t, list, "no hook has told anything")
	var hook events.HookReceived
	require.NoError(s.t, json.Unmarshal(list[0], &hook))
	require.NotEmpty(s.t, hook.Session)
	return hook.Session
}

// halt tells every harness that a session must stop, as a break does (EV-8).
func (s *system) halt(session, why string) {
	s.t.Helper()
	bucket, err := s.js.KeyValue(s.t.Context(), events.ControlBucket)
	require.NoError(s.t, err)
	value, err := json.Marshal(events.Control{State: events.ControlHalted, Why: why})
	require.NoError(s.t, err)
	_, err = bucket.Put(s.t.Context(), events.SessionControlKey(session), value)
	require.NoError(s.t, err)
}
