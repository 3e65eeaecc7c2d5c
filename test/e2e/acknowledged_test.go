package e2e

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	natsio "github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/publish"
)

// Damage stops anchors, backups and restores until an operator acknowledges it; nobody else can.
func TestDamageIsAcknowledgedByAnOperator(t *testing.T) {
	if testing.Short() {
		t.Skip("starts services")
	}
	i := install(t)
	broker := i.start(i.file("data"))
	send, err := publish.New(broker.Conn())
	require.NoError(t, err)
	for _, e := range spoken("alone", "", aloneWord, time.Now().Add(-time.Hour)) {
		require.NoError(t, send.Send(t.Context(), e))
	}
	require.NoError(t, send.Close())
	i.decided(broker, 1)
	i.must("keys", "new", i.file("auditor.seed"))
	_, err = broker.JetStream().PublishMsg(t.Context(), &natsio.Msg{Subject: "decisions.turn.evaluated.1.other.other", Data: []byte("{}")})
	require.NoError(t, err)

	require.Contains(t, i.fails("verify"), "forged event")
	require.Contains(t, i.fails("anchor", "--key", i.file("auditor.seed")), "nothing was signed")
	i.fails("backup", i.file("damaged"), "--operator", i.key("operator"))
	acknowledge := []string{"verify", "--acknowledge", "DECISIONS", "--by", "mara"}
	require.Contains(t, i.fails(append(acknowledge, "--operator", i.key("operator"))...), "give a reason")
	acknowledge = append(acknowledge, "--why", "request 4713")
	require.Contains(t, i.fails(acknowledge...), "only a person may do this")
	i.fails(append(acknowledge, "--operator", i.key("publisher"))...)
	require.Contains(t, i.fails("verify"), "forged event", "a publisher acknowledged nothing")

	out := i.must(append(acknowledge, "--operator", i.key("operator"))...)
	require.Contains(t, out, `acknowledged by "mara"`)
	require.Contains(t, i.must("verify"), "request 4713")
	require.Contains(t, i.must("doctor", "--audit"), "request 4713")
	i.must("anchor", "--key", i.file("auditor.seed"), "--out", i.file("a.anchor"))
	i.must("backup", i.file("after"), "--operator", i.key("operator"))
	require.Contains(t, i.must("verify", i.file("after")), "request 4713")
	i.must("restore", i.file("after"), "--data", filepath.Join(i.home, "data2"), "--operator", i.key("operator"))
}

// fails runs a command that must not succeed and returns what it printed.
func (i *installed) fails(args ...string) string {
	i.t.Helper()
	out, err := i.command(args...).CombinedOutput()
	require.Error(i.t, err, "scaffoldwatch %s\n%s", strings.Join(args, " "), out)
	return string(out)
}
