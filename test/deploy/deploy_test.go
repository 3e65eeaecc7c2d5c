package deploy

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/demo"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/link"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/reporter"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service/system"
	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	natsdead "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/dead"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/keep"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/natstest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// users of nats.conf; each has its own name as its password here.
var users = []string{"admin", "ingest", "evaluator", "dispatcher", "reporter", "advisor", "publisher", "orchestrator", "infra", "operator", "auditor", "subscriber"}

// start runs a server with the shipped configuration and the streams in it.
func start(t *testing.T) (url string) {
	t.Helper()
	return startWith(t, filepath.Join("..", "..", "deploy", "nats", "nats.conf"))
}

func startWith(t *testing.T, configuration string) (url string) {
	t.Helper()
	url, _ = startIn(t, configuration, t.TempDir())
	return url
}

// startIn returns startWith on a store directory; stop ends the server before the test.
func startIn(t *testing.T, configuration, store string) (url string, stop func()) {
	t.Helper()
	address := natstest.FreeAddresses(t, 1)[0]
	t.Setenv("NATS_SERVER_NAME", "test")
	t.Setenv("NATS_LISTEN", address)
	t.Setenv("NATS_STORE_DIR", store)
	for _, user := range users {
		t.Setenv(strings.ToUpper(user)+"_PASSWORD", user)
	}
	options, err := server.ProcessConfigFile(configuration)
	require.NoError(t, err)
	require.EqualValues(t, natsengine.MaxPayload, options.MaxPayload)
	require.True(t, options.SyncAlways)
	require.True(t, options.JetStream)
	require.GreaterOrEqual(t, len(options.Users), len(users))
	ns, stop := startServer(t, options)
	require.True(t, ns.ReadyForConnections(2*time.Minute))
	url = "nats://" + address

	admin := dial(t, url, "admin")
	js, err := natsengine.JetStream(admin)
	require.NoError(t, err)
	_, err = topology.Provision(context.Background(), js, topology.Topology{Partitions: 4})
	require.NoError(t, err)
	return url, stop
}

// startServer starts a server; stop ends it before the test does.
func startServer(t *testing.T, options *server.Options) (ns *server.Server, stop func()) {
	t.Helper()
	options.NoSigs, options.NoLog = true, true
	ns, err := server.NewServer(options)
	require.NoError(t, err)
	go ns.Start()
	stop = sync.OnceFunc(func() { ns.Shutdown(); ns.WaitForShutdown() })
	t.Cleanup(stop)
	return ns, stop
}

// dial logs in as a user, with an inbox of the user's own.
func dial(t *testing.T, url, user string) *nats.Conn {
	t.Helper()
	nc, err := nats.Connect(url, nats.UserInfo(user, user), nats.CustomInboxPrefix("_INBOX_"+user), nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
	require.NoError(t, err)
	t.Cleanup(nc.Close)
	return nc
}

// publishes tries to write to a subject, as a request that JetStream answers.
func publishes(t *testing.T, nc *nats.Conn, subject string) bool {
	t.Helper()
	_ = nc.Publish(subject, []byte("{}"))
	require.NoError(t, nc.Flush())
	err := nc.LastError()
	return err == nil || !strings.Contains(err.Error(), `"`+subject+`"`)
}

// recordActs is the subject of acts about the whole record, such as the acknowledgement of damage.
const recordActs = "operator.act.scaffoldwatch-record.scaffoldwatch-record"

// everySubject are subjects of every kind that somebody may, or may not, write.
var everySubject = []string{
	"turn.raw.g.s", "hook.received.g.s", "session.opened.g.s", "session.closed.g.s", "run.raw.r.r", "run.fact.r.r", "interrupt.delivery.g.s", "operator.act.g.s", "guard.decided.g.s", "opinion.recorded.g.s",
	"workspace.observed.g.s", "check.observed.g.s", recordActs,
	"turn.segmented.0.g.s", "segments.turn.raw.0.g.s", "signal.detected.0.g.s", "turn.evaluated.0.g.s", "interrupt.fired.0.g.s",
	"decisions.signal.detected.0.g.s", "ckpt.ingest.0", "ckpt.evaluator.0", "ckpt.dispatcher.0", "timer.at.ingest.g.s.idle",
	"timer.expired.g.s", "timer.expired.0.g.s", "dead.other.0.g.s", "turn.raw.0.g.s", "operator.act.0.g.s",
	"$JS.API.STREAM.DELETE.INPUT", "$JS.API.STREAM.PURGE.TIMERS", "timer.at.other.g.s.idle", "$JS.API.STREAM.PURGE.DECISIONS", "$JS.API.STREAM.CREATE.OTHER", "$KV.CONTROL.session.s", "$KV.CONTROL.run.r",
	"run.fact.0.r.r", "signals.run.fact.0.r.r", "signals.timer.set.0.r.r", "timer.set.0.r.r", "timer.at.evaluator.project.r.news", "timer.at.dispatcher.r.r.checkpoint",
	"$KV.POSITIONS.timers.evaluator", "$KV.POSITIONS.timers.dispatcher", "control.changed.0.r.r", "run.evaluated.0.r.r", "wiggum.break.0.r.r",
	"gate.request", "gate.request.r", "$KV.RULES.0123456789ab",
}

func TestRolesMayWriteOnlyTheirOwn(t *testing.T) {
	url := start(t)
	may := map[string][]string{
		"publisher":    {"turn.raw.g.s", "hook.received.g.s", "session.opened.g.s", "session.closed.g.s", "run.raw.r.r", "interrupt.delivery.g.s", "gate.request", "gate.request.r"},
		"orchestrator": {"turn.raw.g.s", "hook.received.g.s", "session.opened.g.s", "session.closed.g.s", "run.raw.r.r", "interrupt.delivery.g.s", "gate.request", "gate.request.r"},
		"infra":        {"run.fact.r.r"},
		"operator":     {"operator.act.g.s", "check.observed.g.s", recordActs},
		"subscriber":   {},
		"auditor":      {recordActs},
		"reporter":     {},
		"advisor":      {"opinion.recorded.g.s"},
		"ingest":       {"turn.segmented.0.g.s", "segments.turn.raw.0.g.s", "ckpt.ingest.0", "timer.at.ingest.g.s.idle", "hook.received.g.s", "interrupt.delivery.g.s", "guard.decided.g.s", "workspace.observed.g.s", "check.observed.g.s", "$KV.RULES.0123456789ab"},
		"evaluator":    {"signal.detected.0.g.s", "turn.evaluated.0.g.s", "ckpt.evaluator.0", "signals.run.fact.0.r.r", "signals.timer.set.0.r.r", "timer.at.evaluator.project.r.news", "$KV.POSITIONS.timers.evaluator", "$KV.RULES.0123456789ab"},
		"dispatcher": {
			"interrupt.fired.0.g.s", "decisions.signal.detected.0.g.s", "ckpt.dispatcher.0", "timer.set.0.r.r", "timer.at.dispatcher.r.r.checkpoint", "$KV.POSITIONS.timers.dispatcher",
			"control.changed.0.r.r", "run.evaluated.0.r.r", "wiggum.break.0.r.r", "$KV.CONTROL.session.s", "$KV.CONTROL.run.r", "run.raw.r.r", "$KV.RULES.0123456789ab",
		},
	}
	for user, allowed := range may {
		t.Run(user, func(t *testing.T) {
			for _, subject := range everySubject {
				want := slices.Contains(allowed, subject)
				nc := dial(t, url, user) // one each, so that errors are told apart
				require.Equal(t, want, publishes(t, nc, subject), "%s to %s", user, subject)
				nc.Close()
			}
		})
	}
}

// Every event type that a service derives may be written by that service alone: nats.conf knows the whole
// contract.
func TestServicesMayWriteWhatTheyDerive(t *testing.T) {
	url := start(t)
	for _, user := range []string{"ingest", "evaluator", "dispatcher", "reporter", "advisor", "publisher", "orchestrator", "infra", "operator", "subscriber"} {
		nc := dial(t, url, user)
		for _, d := range events.All() {
			if d.Direction == events.DirectionInput {
				continue
			}
			want := string(d.Role) == "service:"+user
			require.Equal(t, want, publishes(t, nc, d.SubjectClass+".0.g.s-"+user), "%s to %s", user, d.Type)
		}
		nc.Close()
	}
}

func TestEachServiceRunsWithItsOwnUser(t *testing.T) {
	url := start(t)
	warned := &warnings{}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, len(link.Stages)+1)
	addresses := natstest.FreeAddresses(t, len(link.Stages)+1)
	for i, name := range append([]string{reporter.Name}, link.Stages...) {
		c := config.Default()
		c.NATS.URL, c.NATS.User, c.NATS.Password = url, name, name
		c.Streams.Partitions, c.HTTP.Address = 4, addresses[i]
		go func() {
			done <- service.Run(ctx, service.Options{Services: system.Services(name), Config: c, Log: warned.log()})
		}()
	}
	publisher, err := client.NewPublisher(dial(t, url, "publisher"), client.PublisherOptions{Source: "/test"})
	require.NoError(t, err)
	fleet, err := demo.Sessions(time.Now())
	require.NoError(t, err)
	go func() {
		for _, session := range fleet {
			for _, e := range session {
				if _, err := publisher.Event(ctx, e); err != nil {
					return
				}
			}
		}
	}()

	subscriber, err := client.NewSubscriber(dial(t, url, "subscriber"), client.SubscriberOptions{})
	require.NoError(t, err)
	listen, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	var fired []string
	for i, err := range subscriber.Interrupts(listen, client.Filter{}, client.Start{All: true}) {
		require.NoError(t, err)
		if fired = append(fired, i.Fired.Detector); i.Fired.Detector == "B1" {
			break
		}
	}
	require.Contains(t, fired, "B1")
	// A run of the fleet may have ended by now, and one that has ended is not reported as running (EV-8).
	_, err = publisher.Turn(ctx, sessionevents.Turn{Session: "goes-on", TurnID: "t1", Format: "markdown", Text: "I read the code."})
	require.NoError(t, err)
	for state, err := range subscriber.WatchControl(listen, client.Filter{Session: "goes-on"}) {
		require.NoError(t, err)
		if state.State == runevents.ControlRunning {
			break
		}
	}
	require.NoError(t, listen.Err(), "the session's control state was not written")
	cancel()
	require.NoError(t, publisher.Close())
	orchestrates(t, dial(t, url, "orchestrator"))

	nc, err := natsengine.Connect(ctx, natsengine.ConnectOptions{URL: url, Name: "cli_operator", Extra: []nats.Option{natsengine.UserPassword("operator", "operator")}})
	require.NoError(t, err)
	defer nc.Close()
	operator, err := natsengine.Open(nc, topology.Topology{Partitions: 4}, natsengine.Keys{}, nil)
	require.NoError(t, err)
	m, err := decisions.ReadReport(ctx, operator, "payments-webhook")
	require.NoError(t, err)
	require.Len(t, m.Interrupts, 1)
	require.NoError(t, natsdead.Letters(ctx, operator, func(natsdead.Stored) error { return nil }))

	for _, address := range addresses { // hooks of ingest, gates of the dispatcher
		requireReady(t, "http://"+address+"/readyz")
	}
	beating := map[string]int{reporter.Name: 1}
	for _, name := range link.Stages {
		beating[name] = 1
	}
	running, err := keep.Instances(ctx, operator)
	require.NoError(t, err)
	require.Equal(t, beating, running, "each sends heartbeats, the reporter for doctor to see")
	require.Empty(t, warned.text(), "no service lacks a right: timers, positions, control states, members")
	stop()
	for range cap(done) {
		require.NoError(t, <-done)
	}
	admin := dial(t, url, "admin")
	js, err := jetstream.New(admin)
	require.NoError(t, err)
	_, err = js.Stream(context.Background(), "DEADLETTER")
	require.NoError(t, err)
}

// Who is denied something learns it from the broker, not only from a call that waits.
func TestDeniedIsSaid(t *testing.T) {
	url := start(t)
	denied := make(chan error, 8)
	nc, err := natsengine.Connect(t.Context(), natsengine.ConnectOptions{
		URL: url, Name: "cli_publisher", Extra: []nats.Option{natsengine.UserPassword("publisher", "publisher")},
		OnDenied: func(err error) { denied <- err },
	})
	require.NoError(t, err)
	defer nc.Close()
	require.NoError(t, nc.Publish("$JS.API.STREAM.INFO.DECISIONS", nil))
	select {
	case err := <-denied:
		require.ErrorIs(t, err, natsengine.ErrDenied)
		require.ErrorContains(t, err, "$JS.API.STREAM.INFO.DECISIONS")
	case <-time.After(time.Minute):
		require.Fail(t, "nothing was said")
	}
}

// requireReady waits until a service reports that all its parts work.
func requireReady(t *testing.T, url string) {
	t.Helper()
	require.EventuallyWithT(t, func(t *assert.CollectT) { saysReady(t, url, http.StatusOK, "") }, time.Minute, 100*time.Millisecond)
}

// saysReady requires an answer of /readyz with a status that contains the given words.
func saysReady(t require.TestingT, url string, status int, words string) {
	answer, err := http.Get(url)
	require.NoError(t, err)
	defer answer.Body.Close()
	said, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.Equal(t, status, answer.StatusCode, "%s", said)
	require.Contains(t, string(said), words)
}

func quiet() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }

// TestUnits requires a unit for each service, with the shared configuration and time to drain.
func TestUnits(t *testing.T) {
	for _, name := range append([]string{reporter.Name}, link.Stages...) {
		text, err := os.ReadFile(filepath.Join("..", "..", "deploy", "systemd", "scaffoldwatch-"+name+".service"))
		require.NoError(t, err)
		unit := string(text)
		require.Contains(t, unit, "ExecStart=/usr/local/bin/"+name+" --config /etc/scaffoldwatch/scaffoldwatch.yaml\n")
		require.Contains(t, unit, "EnvironmentFile=/etc/scaffoldwatch/"+name+".env\n")
		require.Contains(t, unit, "Restart=always\n")
		require.Contains(t, unit, "TimeoutStopSec=30\n")
	}
}
