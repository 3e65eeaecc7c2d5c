package e2e

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	natsio "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/publish"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
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

// A dead letter needs attention until an operator has looked at it or sent its input again; a later one does again.
func TestDeadLettersAreAcknowledgedByAnOperator(t *testing.T) {
	if testing.Short() {
		t.Skip("starts services")
	}
	i := install(t)
	broker := i.start(i.file("data"))
	send, err := publish.New(broker.Conn())
	require.NoError(t, err)
	defer func() { require.NoError(t, send.Close()) }()
	bad := func(id string) {
		require.NoError(t, send.Send(t.Context(), events.Event{
			ID: id, Source: "/test", Type: sessionevents.TypeTurnRaw, Subject: id, Time: time.Now().UTC(),
			Data: &sessionevents.Turn{Session: id, TurnID: "t1", Format: "no-such-agent", Native: json.RawMessage(`{}`)},
		}))
	}
	letters := func() string { // the line of doctor
		out, _ := i.command("doctor").CombinedOutput()
		return regexp.MustCompile(`(?m)^.*dead letters .*(?:\n {21}.*)*`).FindString(string(out))
	}
	require.Contains(t, letters(), "ok ")
	bad("one")
	bad("two")
	require.Eventually(t, func() bool { return strings.Contains(letters(), "2, 2 not acknowledged") }, patience, 200*time.Millisecond)
	require.Contains(t, letters(), "WARN")
	require.Contains(t, i.fails("dead", "ack", "1", "--operator", i.key("operator")), "give a reason")
	ack := []string{"dead", "ack", "1", "--why", "a broken script", "--by", "mara"}
	require.Contains(t, i.fails(ack...), "only a person may do this")
	i.fails(append(ack, "--operator", i.key("publisher"))...)
	require.Contains(t, letters(), "2, 2 not acknowledged", "a publisher acknowledged nothing")
	i.must(append(ack, "--operator", i.key("operator"))...)
	require.Contains(t, letters(), "2, 1 not acknowledged")

	i.must("dead", "retry", "2", "--by", "mara", "--operator", i.key("operator"))
	require.Eventually(t, func() bool { return strings.Contains(letters(), "3, 1 not acknowledged") }, patience, 200*time.Millisecond,
		"it failed again")
	i.must("dead", "ack", "--all", "--why", "that agent is gone", "--operator", i.key("operator"))
	line := letters()
	require.Regexp(t, `(?s)^ok .*3, all acknowledged.*"a broken script".*sent again by "mara"`, line)
	require.Contains(t, i.must("dead", "list"), `acknowledged by "mara"`)
	require.Contains(t, i.must("dead", "list", "-o", "jsonl"), `"why":"a broken script"`)
	bad("three")
	require.Eventually(t, func() bool { return strings.Contains(letters(), "4, 1 not acknowledged") }, patience, 200*time.Millisecond)
	require.Contains(t, i.must("verify"), "verified:")

	copyAct(t, broker.JetStream(), 3, 4)
	require.Contains(t, letters(), "4, 1 not acknowledged", "an act that no stage committed acknowledges nothing")
	require.Contains(t, i.fails("verify"), "forged event")
}

// copyAct stores the act that acknowledged a dead letter once more, for another one, as somebody who may write to
// SEGMENTS could.
func copyAct(t *testing.T, js jetstream.JetStream, from, to uint64) {
	t.Helper()
	letters, err := js.Stream(t.Context(), string(events.StreamDeadLetter))
	require.NoError(t, err)
	mark := func(at uint64) []byte {
		m, err := letters.GetMsg(t.Context(), at)
		require.NoError(t, err)
		sum := sha256.Sum256(append([]byte(m.Subject+"\n"), m.Data...))
		return []byte(hex.EncodeToString(sum[:]))
	}
	segments, err := js.Stream(t.Context(), string(events.StreamSegments))
	require.NoError(t, err)
	act, err := segments.GetLastMsgForSubject(t.Context(), topology.Forwarded(events.StreamSegments)+"."+events.ClassOperatorAct+".>")
	require.NoError(t, err)
	require.Contains(t, string(act.Data), string(mark(from)))
	_, err = js.PublishMsg(t.Context(), &natsio.Msg{
		Subject: act.Subject, Header: natsio.Header{"ce-type": act.Header["ce-type"]},
		Data: bytes.ReplaceAll(act.Data, mark(from), mark(to)),
	})
	require.NoError(t, err)
}

// fails runs a command that must not succeed and returns what it printed.
func (i *installed) fails(args ...string) string {
	i.t.Helper()
	out, err := i.command(args...).CombinedOutput()
	require.Error(i.t, err, "scaffoldwatch %s\n%s", strings.Join(args, " "), out)
	return string(out)
}
