package agents

import (
	"bytes"
	"encoding/json"
	"fmt"
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

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/secrets/secretstest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/hook/hooktoken"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/natstest"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/test/agents/mockmodel"
)

// system is a running `scaffoldwatch up` of the test.
type system struct {
	t    *testing.T
	url  string
	keys string // folder of the credentials that up created
	js   jetstream.JetStream
	logs *bytes.Buffer // read it after the process has ended
}

// start runs the real program on free ports, its data in a temporary folder.
func start(t *testing.T, settings ...string) *system {
	t.Helper()
	t.Setenv(hooktoken.Variable, t.TempDir())
	free := natstest.FreeAddresses(t, 2)
	broker, web := free[0], free[1]
	s := &system{t: t, url: "http://" + web, logs: &bytes.Buffer{}}
	command := exec.Command(filepath.Join(binaries(t), "scaffoldwatch"), "up", "--quiet", "--lazy-sync",
		"--data", t.TempDir(), "--listen", broker, "--http", web)
	home := t.TempDir()
	command.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, hooktoken.Variable + "=" + os.Getenv(hooktoken.Variable)}
	if rules := os.Getenv("SCAFFOLDWATCH_RULES"); rules != "" {
		command.Env = append(command.Env, "SCAFFOLDWATCH_RULES="+rules)
	}
	command.Env = append(command.Env, settings...)
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
	require.Eventually(t, s.ready, time.Minute, 20*time.Millisecond)
	s.keys = filepath.Join(home, ".config", "scaffoldwatch", "credentials")
	key, err := nats.NkeyOptionFromSeed(filepath.Join(s.keys, "admin.nk"))
	require.NoError(t, err)
	nc, err := nats.Connect("nats://"+broker, key)
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

// input returns the data of the events of a type in INPUT.
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

// session returns the session that the agent's hooks report.
func (s *system) session() string {
	s.t.Helper()
	list := s.input(sessionevents.TypeHookReceived)
	require.NotEmpty(s.t, list, "no hook has told anything")
	var hook sessionevents.HookReceived
	require.NoError(s.t, json.Unmarshal(list[0], &hook))
	require.NotEmpty(s.t, hook.Session)
	return hook.Session
}

// failures is the reason of a halt after failed responses (RW-35).
const failures = "3 turns in a row failed, the last one with api_error"

// halt makes a session fail three times in a row, which halts it, and waits until every harness can know
// (EV-8).
func (s *system) halt(session string) {
	s.t.Helper()
	publisher, err := client.NewPublisher(s.js.Conn(), client.PublisherOptions{Source: "/scaffoldwatch/test"})
	require.NoError(s.t, err)
	for n := range 3 {
		_, err := publisher.Turn(s.t.Context(), sessionevents.Turn{Session: session, TurnID: fmt.Sprint("failed-", n), Format: "blocks", StopReason: "api_error"})
		require.NoError(s.t, err)
	}
	require.NoError(s.t, publisher.Close())
	subscriber, err := client.NewSubscriber(s.js.Conn(), client.SubscriberOptions{})
	require.NoError(s.t, err)
	require.Eventually(s.t, func() bool {
		c, err := subscriber.Control(s.t.Context(), client.Filter{Session: session})
		return err == nil && c.State == runevents.ControlHalted
	}, time.Minute, 10*time.Millisecond)
}

// thinking is the time that the model takes for the reply after a session was halted: longer than a halt
// takes to arrive, as with real models.
const thinking = 300 * time.Millisecond

// halting returns a plan during which the session is halted once, after the first result, and a function that
// reports whether it was.
func (s *system) halting(work mockmodel.Plan) (plan mockmodel.Plan, halted func() bool) {
	done := false
	return func(r mockmodel.Request) mockmodel.Step {
		if r.Results == 1 && !done {
			done = true
			s.halt(s.session())
			time.Sleep(thinking)
		}
		return work(r)
	}, func() bool { return done }
}

// plant returns a command that writes a credential into code; each number has its own.
func plant(number uint64) string {
	return "cat > settings.py <<'EOF'\nGITHUB_TOKEN = \"" + secretstest.New(number).Provider("github") + "\"\nEOF"
}
