package deploy

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

var shipped = filepath.Join("..", "..", "deploy", "nats", "nats.conf")

// A harness that knows NATS alone watches the bucket CONTROL of its own account, and
// reads a halt and its end there (EV-8).
func TestHarnessesWatchTheCopyOfControl(t *testing.T) {
	url := start(t)
	serve(t, url, quiet())
	js, err := jetstream.New(dial(t, url, "subscriber"))
	require.NoError(t, err)
	bucket, err := js.KeyValue(t.Context(), "CONTROL")
	require.NoError(t, err)
	watcher, err := bucket.Watch(t.Context(), "run.nightly")
	require.NoError(t, err)
	defer func() { require.NoError(t, watcher.Stop()) }()
	require.Nil(t, <-watcher.Updates(), "nothing is known yet")
	await := func(state string) {
		t.Helper()
		late := time.After(time.Minute)
		for {
			select {
			case entry := <-watcher.Updates():
				if entry != nil && len(entry.Value()) > 0 && stateOf(t, entry.Value()) == state {
					return
				}
			case <-late:
				t.Fatalf("it is not %s", state)
			}
		}
	}
	run, err := client.OpenRun(dial(t, url, "orchestrator"), "nightly", client.RunOptions{Source: "/test", Patience: time.Minute})
	require.NoError(t, err)
	defer func() { require.NoError(t, run.Close()) }()
	_, err = run.Do(t.Context(), runevents.RunStarted{Kind: "build"})
	require.NoError(t, err)
	await("running")
	person, err := client.OpenRun(dial(t, url, "operator"), "nightly", client.RunOptions{Source: "/person", Patience: time.Minute})
	require.NoError(t, err)
	defer func() { require.NoError(t, person.Close()) }()
	_, err = person.DoEvent(t.Context(), events.Event{Type: runevents.TypeOperatorAct, Subject: "nightly", Data: &runevents.OperatorAct{
		Act: runevents.ActHalt, Run: "nightly", By: "ann", Why: "wrong repository",
	}})
	require.NoError(t, err)
	await("halted")
	_, err = person.Do(t.Context(), runevents.RunResumed{By: "ann", Why: "moved"})
	require.NoError(t, err)
	await("running")

	_, err = bucket.PutString(t.Context(), "run.nightly", "{}")
	require.Error(t, err, "nobody writes the copy")
}

// What a server with one account holds is there after the change to accounts, as
// docs/operations.md describes it.
func TestOneAccountBecomesThree(t *testing.T) {
	store := t.TempDir()
	url, stop := startIn(t, oneAccount, store)
	js, err := jetstream.New(dial(t, url, "admin"))
	require.NoError(t, err)
	_, err = js.Publish(t.Context(), "interrupt.fired.0.g.s", []byte("kept"))
	require.NoError(t, err)
	stop()
	require.NoError(t, os.Rename(filepath.Join(store, "jetstream", "$G"), filepath.Join(store, "jetstream", "SERVICES")))
	url, _ = startIn(t, shipped, store)
	for _, user := range []string{"operator", "subscriber"} {
		js, err := natsengine.JetStream(dial(t, url, user))
		require.NoError(t, err)
		require.Eventually(t, func() bool {
			stream, err := js.Stream(t.Context(), "DECISIONS")
			if err != nil {
				return false
			}
			m, err := stream.GetMsg(t.Context(), 1)
			return err == nil && string(m.Data) == "kept"
		}, time.Minute, 10*time.Millisecond, user)
	}
}

// Provisioning again changes nothing; a copy of another version is made again.
func TestCopiesAreProvisionedOnce(t *testing.T) {
	url := start(t)
	admin := dial(t, url, "admin")
	js, err := natsengine.JetStream(admin)
	require.NoError(t, err)
	agents, err := jetstream.NewWithAPIPrefix(admin, "agents.API")
	require.NoError(t, err)
	created := func() time.Time {
		stream, err := agents.Stream(t.Context(), "DECISIONS")
		require.NoError(t, err)
		return stream.CachedInfo().Created
	}
	first := created()
	differences, err := topology.Provision(t.Context(), js, topology.Topology{Partitions: 4})
	require.NoError(t, err)
	require.Empty(t, differences)
	require.Equal(t, first, created())
	require.NoError(t, agents.DeleteStream(t.Context(), "DECISIONS"))
	old := topology.Topology{Partitions: 4}.Copies()[0]
	old.Mirror.SubjectTransforms = old.Mirror.SubjectTransforms[:2]
	_, err = agents.CreateStream(t.Context(), old)
	require.NoError(t, err)
	_, err = topology.Provision(t.Context(), js, topology.Topology{Partitions: 4})
	require.NoError(t, err)
	stream, err := agents.Stream(t.Context(), "DECISIONS")
	require.NoError(t, err)
	require.Greater(t, len(stream.CachedInfo().Config.Mirror.SubjectTransforms), 2)
}

func stateOf(t *testing.T, value []byte) string {
	t.Helper()
	var c runevents.Control
	require.NoError(t, json.Unmarshal(value, &c))
	return string(c.State)
}
