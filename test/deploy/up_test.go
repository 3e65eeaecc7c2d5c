package deploy

import (
	"os"
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/link/credential"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service/system"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// up runs a system in one process, as `scaffoldwatch up` does, and returns its
// address and the directory of its keys.
func up(t *testing.T) (url, keys string) {
	t.Helper()
	keys = t.TempDir()
	users, err := system.Users(keys)
	require.NoError(t, err)
	c := config.Default()
	c.HTTP.Address, c.Streams.Partitions = "", 4
	s, err := system.Start(t.Context(), system.Options{Config: c, Log: quiet(), Data: t.TempDir(), Listen: "127.0.0.1:0", LazySync: true, Users: users})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Stop()) })
	return s.URL(), keys
}

// login connects with the key of a role.
func login(t *testing.T, url, keys string, role credential.Role) *nats.Conn {
	t.Helper()
	key, err := nats.NkeyOptionFromSeed(credential.File(keys, role))
	require.NoError(t, err)
	nc, err := nats.Connect(url, key, nats.CustomInboxPrefix("_INBOX_"+string(role)), nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
	require.NoError(t, err)
	t.Cleanup(nc.Close)
	return nc
}

// Nobody connects to `up` without a key, nor with one of his own.
func TestUpRefusesStrangers(t *testing.T) {
	url, _ := up(t)
	_, err := nats.Connect(url)
	require.ErrorIs(t, err, nats.ErrAuthorization)
	_, err = nats.Connect(url, nats.UserInfo("operator", "operator"))
	require.ErrorIs(t, err, nats.ErrAuthorization)
	strangers := t.TempDir()
	_, err = credential.Keep(strangers)
	require.NoError(t, err)
	key, err := nats.NkeyOptionFromSeed(credential.File(strangers, credential.Operator))
	require.NoError(t, err)
	_, err = nats.Connect(url, key)
	require.ErrorIs(t, err, nats.ErrAuthorization)
}

// What the roles of `up` may write: no control state, no decision, no purge (EV-10).
func TestRolesOfUpMayWriteOnlyTheirOwn(t *testing.T) {
	url, keys := up(t)
	input := []string{"turn.raw.g.s", "hook.received.g.s", "session.opened.g.s", "session.closed.g.s", "run.raw.r.r", "interrupt.delivery.g.s"}
	may := map[credential.Role][]string{
		credential.Publisher: append([]string{"gate.request", "gate.request.r"}, input...),
		credential.Infra:     {"run.fact.r.r"},
		credential.Operator:  append([]string{recordActs, "operator.act.g.s", "check.observed.g.s", "run.fact.r.r"}, input...),
	}
	for role, allowed := range may {
		t.Run(string(role), func(t *testing.T) {
			for _, subject := range everySubject {
				nc := login(t, url, keys, role) // one each, so that errors are told apart
				require.Equal(t, slices.Contains(allowed, subject), publishes(t, nc, subject), "%s to %s", role, subject)
				nc.Close()
			}
		})
	}
}

// The ways in which a watched agent of the same machine let itself go on: as
// operator, by writing the control state, by removing the decision.
func TestPublisherOfUpCannotReleaseARun(t *testing.T) {
	url, keys := up(t)
	nc := login(t, url, keys, credential.Publisher)
	run, err := client.OpenRun(nc, "nightly", client.RunOptions{Source: "/agent", Patience: 2 * time.Minute})
	require.NoError(t, err)
	defer func() { require.NoError(t, run.Close()) }()
	verdict, err := run.Do(t.Context(), runevents.RunStarted{Kind: "build"})
	require.NoError(t, err)
	for range 3 {
		verdict, err = run.Do(t.Context(), runevents.AgentCompleted{AgentID: "maker", Outcome: "failure"})
		require.NoError(t, err)
	}
	require.Equal(t, runevents.ControlHalted, verdict.State)

	_, err = run.Do(t.Context(), runevents.RunResumed{By: "agent", Why: "i am the agent"})
	require.ErrorIs(t, err, nats.ErrPermissionViolation)
	js, err := jetstream.New(nc, jetstream.WithDefaultTimeout(200*time.Millisecond))
	require.NoError(t, err)
	bucket, err := js.KeyValue(t.Context(), "CONTROL")
	require.NoError(t, err)
	_, err = bucket.Put(t.Context(), "run.nightly", []byte(`{"state":"running"}`))
	require.Error(t, err)
	require.Error(t, bucket.Delete(t.Context(), "run.nightly"))
	decisions, err := js.Stream(t.Context(), "DECISIONS")
	require.NoError(t, err)
	require.Error(t, decisions.Purge(t.Context()))
	require.Error(t, js.DeleteStream(t.Context(), "DECISIONS"))

	state, err := run.Control(t.Context())
	require.NoError(t, err)
	require.Equal(t, runevents.ControlHalted, state.State)
	entry, err := bucket.Get(t.Context(), "run.nightly")
	require.NoError(t, err)
	require.Contains(t, string(entry.Value()), "halted")

	person, err := client.OpenRun(login(t, url, keys, credential.Operator), "nightly", client.RunOptions{Source: "/person", Patience: 2 * time.Minute})
	require.NoError(t, err)
	defer func() { require.NoError(t, person.Close()) }()
	verdict, err = person.Do(t.Context(), runevents.RunResumed{By: "ann", Why: "fixed"})
	require.NoError(t, err)
	require.Equal(t, runevents.ControlRunning, verdict.State)
}

// The keys are for their owner alone.
func TestKeysOfUpArePrivate(t *testing.T) {
	_, keys := up(t)
	for _, role := range credential.Roles() {
		info, err := os.Stat(credential.File(keys, role))
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	}
}
