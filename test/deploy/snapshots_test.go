package deploy

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/backup"
	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	natsread "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Only the administrator can copy whole streams, raw input included, or create streams from
// copies (AU-41): the broker's snapshot and restore are denied to every other user.
func TestOnlyTheAdministratorCopiesStreams(t *testing.T) {
	url := start(t)
	for _, user := range users {
		nc := dial(t, url, user)
		for _, subject := range []string{"$JS.API.STREAM.SNAPSHOT.INPUT", "$JS.API.STREAM.RESTORE.OTHER"} {
			request, err := json.Marshal(map[string]any{"deliver_subject": nc.NewInbox(), "config": map[string]any{"name": "OTHER"}})
			require.NoError(t, err)
			require.NoError(t, nc.PublishMsg(&nats.Msg{Subject: subject, Reply: nc.NewInbox(), Data: request}))
			require.NoError(t, nc.FlushTimeout(5*time.Second))
			last := nc.LastError()
			denied := last != nil && strings.Contains(last.Error(), `"`+subject+`"`)
			require.Equal(t, user != "admin", denied, "%s %s: %v", user, subject, last)
		}
		nc.Close()
	}
}

// A system with accounts is backed up and restored as the administrator, and the agents'
// account copies from the restored streams.
func TestABackupIsRestoredWithItsAccounts(t *testing.T) {
	open := func(url string) *natsengine.Broker {
		b, err := natsengine.Open(dial(t, url, "admin"), topology.Topology{Partitions: 4}, natsengine.Keys{}, nil)
		require.NoError(t, err)
		return b
	}
	from := open(start(t))
	for _, subject := range []string{"turn.raw.g.s", "turn.raw.g.s", "interrupt.fired.0.g.s", "interrupt.fired.0.g.s", "interrupt.fired.0.g.s"} {
		_, err := from.JetStream().Publish(t.Context(), subject, []byte("text"))
		require.NoError(t, err)
	}
	dir := t.TempDir()
	_, err := backup.Write(t.Context(), from, dir, backup.Options{Now: time.Now()})
	require.NoError(t, err)
	copied, err := backup.Open(dir, nil)
	require.NoError(t, err)
	url := start(t)
	to := open(url)
	require.NoError(t, copied.Restore(t.Context(), to, time.Now(), nil))
	for stream, last := range map[events.Stream]uint64{events.StreamInput: 2, events.StreamDecisions: 3} {
		stored, err := natsread.LookUp(t.Context(), to, stream)
		require.NoError(t, err)
		require.Equal(t, last, stored.Last)
	}
	agents, err := natsengine.JetStream(dial(t, url, "subscriber"))
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		stream, err := agents.Stream(t.Context(), "DECISIONS")
		return err == nil && stream.CachedInfo().State.LastSeq == 3
	}, time.Minute, 100*time.Millisecond, "the copy for agents follows the restored stream")
	differences, err := topology.Provision(t.Context(), to.JetStream(), to.Topology())
	require.NoError(t, err)
	require.Empty(t, differences)
}
