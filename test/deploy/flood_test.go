package deploy

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// withShop returns the shipped configuration with the account of shop.conf in it.
func withShop(t *testing.T, change ...string) (path string) {
	t.Helper()
	dir := t.TempDir()
	main, err := os.ReadFile(shipped)
	require.NoError(t, err)
	shop, err := os.ReadFile(filepath.Join(filepath.Dir(shipped), "shop.conf"))
	require.NoError(t, err)
	text := strings.NewReplacer(change...).Replace(string(shop))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "shop.conf"), []byte(text), 0o600))
	path = filepath.Join(dir, "nats.conf")
	require.NoError(t, os.WriteFile(path, []byte(strings.Replace(string(main), "\naccounts {\n", "\naccounts {\n  include \"shop.conf\"\n", 1)), 0o600))
	t.Setenv("SHOP_PASSWORD", "shop")
	return path
}

// startShop runs a server on which the account SHOP may send so much.
func startShop(t *testing.T, limit topology.Intake) (url string, streams jetstream.JetStream) {
	t.Helper()
	url = startWith(t, withShop(t))
	js, err := natsengine.JetStream(dial(t, url, "admin"))
	require.NoError(t, err)
	wanted := topology.Topology{Partitions: 4, Intakes: []topology.Intake{limit}}
	changed, err := topology.Apply(t.Context(), js, wanted)
	require.NoError(t, err)
	require.Equal(t, []string{"INPUT"}, changed)
	differences, err := topology.Provision(t.Context(), js, wanted)
	require.NoError(t, err)
	require.Empty(t, differences)
	return url, js
}

// turnMessage returns a turn as a client sends it that knows NATS alone.
func turnMessage(t *testing.T, session string) *nats.Msg {
	t.Helper()
	e := events.Event{
		ID: session + "/t1", Source: "/flood", Type: sessionevents.TypeTurnRaw, Subject: session, Time: time.Now(),
		Data: &sessionevents.Turn{Session: session, TurnID: "t1", Blocks: []sessionevents.Block{{Type: sessionevents.BlockText, Text: "more"}}},
	}
	subject, err := subjects.PublishedSubject(e)
	require.NoError(t, err)
	header, data, err := events.EncodeBinary(e)
	require.NoError(t, err)
	return &nats.Msg{Subject: subject, Header: header, Data: data}
}

// A publisher that floods INPUT with turns of invented sessions is refused beyond the limit of its account.
// Everything that another publisher sends meanwhile is accepted and evaluated, and its interrupts are
// delivered.
func TestFloodCostsItsSender(t *testing.T) {
	const limit = 300
	url, js := startShop(t, topology.Intake{Account: "SHOP", Messages: limit, Window: time.Hour})
	serve(t, url, quiet())
	require.Equal(t, 1, plant(t, url, 1), "before")

	nc := dial(t, url, "shop")
	began := time.Now()
	for i := range 10_000 {
		require.NoError(t, nc.PublishMsg(turnMessage(t, fmt.Sprintf("flood-%d", i))))
	}
	require.NoError(t, nc.Flush())
	t.Logf("10,000 turns sent in %s", time.Since(began))
	began = time.Now()
	require.Equal(t, 9, plant(t, url, 9))
	t.Logf("9 interrupts of others after %s", time.Since(began))

	_, err := nc.RequestMsg(turnMessage(t, "flood-last"), 10*time.Second)
	require.NoError(t, err)
	reply, err := nc.RequestMsg(turnMessage(t, "flood-last"), 10*time.Second)
	require.NoError(t, err)
	require.Contains(t, string(reply.Data), "maximum messages exceeded", "the sender learns it")
	intake, err := js.Stream(t.Context(), "INTAKE_SHOP")
	require.NoError(t, err)
	require.EqualValues(t, limit, intake.CachedInfo().State.LastSeq)
	input, err := js.Stream(t.Context(), "INPUT")
	require.NoError(t, err)
	require.Eventually(t, func() bool { return came(t, input, "flood-") == limit }, time.Minute, 20*time.Millisecond)
}

// came counts the subjects of a stream whose last part begins with a text.
func came(t *testing.T, stream jetstream.Stream, prefix string) (n int) {
	t.Helper()
	info, err := stream.Info(t.Context(), jetstream.WithSubjectFilter("turn.raw.>"))
	require.NoError(t, err)
	for subject, messages := range info.State.Subjects {
		if strings.HasPrefix(subject[strings.LastIndex(subject, ".")+1:], prefix) {
			n += int(messages)
		}
	}
	return n
}

// A publisher that sends more than its account may, and sends again what is refused,
// loses nothing: all of it comes, once and in order, as fast as the limit allows.
func TestWhoSendsAgainLosesNothing(t *testing.T) {
	url, js := startShop(t, topology.Intake{Account: "SHOP", Messages: 5, Window: 2 * time.Second})
	publisher, err := client.NewPublisher(dial(t, url, "shop"), client.PublisherOptions{Source: "/shop", BackoffMin: 10 * time.Millisecond, BackoffMax: 50 * time.Millisecond})
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	const turns = 15
	for i := range turns {
		_, err := publisher.Turn(ctx, sessionevents.Turn{Session: "long", TurnID: fmt.Sprintf("t%d", i), Blocks: []sessionevents.Block{{Type: sessionevents.BlockText, Text: "done"}}})
		require.NoError(t, err)
	}
	stats, err := publisher.Stats()
	require.NoError(t, err)
	require.Positive(t, stats.Retries, "some were refused at first")
	input, err := js.Stream(t.Context(), "INPUT")
	require.NoError(t, err)
	require.Eventually(t, func() bool { return came(t, input, "long") == turns }, time.Minute, 20*time.Millisecond)
	consumer, err := input.OrderedConsumer(t.Context(), jetstream.OrderedConsumerConfig{FilterSubjects: []string{"turn.raw.*.long.long"}})
	require.NoError(t, err)
	for i := range turns {
		m, err := consumer.Next(jetstream.FetchMaxWait(time.Minute))
		require.NoError(t, err)
		require.Contains(t, string(m.Data()), fmt.Sprintf(`"t%d"`, i))
	}
}

// An account cannot publish in another's name, or to subjects closed to all accounts.
func TestIntakesAreTheAccountsOwn(t *testing.T) {
	url, js := startShop(t, topology.Intake{Account: "SHOP", Messages: 5, Window: time.Hour})
	nc := dial(t, url, "shop")
	for _, subject := range []string{"intake.SHOP.turn.raw.g.s", "intake.OTHER.turn.raw.g.s", "operator.act.g.s", "run.fact.g.g", "turn.raw.0.g.s"} {
		require.False(t, publishes(t, nc, subject), subject)
	}
	reply := turnMessage(t, "trick")
	reply.Reply = "operator.act.g.s"
	require.NoError(t, nc.PublishMsg(reply))
	require.NoError(t, nc.Flush())
	input, err := js.Stream(t.Context(), "INPUT")
	require.NoError(t, err)
	require.Eventually(t, func() bool { return came(t, input, "trick") == 1 }, time.Minute, 20*time.Millisecond)
	_, err = input.GetLastMsgForSubject(t.Context(), "operator.act.*.g.s")
	require.ErrorIs(t, err, jetstream.ErrMsgNotFound)

	t.Setenv("NATS_SERVER_NAME", "test")
	t.Setenv("NATS_LISTEN", "127.0.0.1:-1")
	t.Setenv("NATS_STORE_DIR", t.TempDir())
	for _, user := range users {
		t.Setenv(strings.ToUpper(user)+"_PASSWORD", user)
	}
	options, err := server.ProcessConfigFile(withShop(t, "intake.SHOP.turn", "intake.OTHER.turn"))
	if err == nil {
		_, err = server.NewServer(options)
	}
	require.Error(t, err, "the server accepts no import of another's intake")
}

// A user whose permissions name its own groups writes in no session of others.
func TestAUserOfItsOwnGroups(t *testing.T) {
	url := startWith(t, withShop(t, `"turn.raw.*.*", "hook`, `"turn.raw.shop-42.*", "hook`, `"interrupt.delivery.*.*"] }`, `"interrupt.delivery.shop-42.*"] }`))
	nc := dial(t, url, "shop")
	for subject, may := range map[string]bool{
		"turn.raw.shop-42.s": true, "interrupt.delivery.shop-42.s": true, "turn.raw.other.s": false, "interrupt.delivery.other.s": false,
	} {
		require.Equal(t, may, publishes(t, nc, subject), subject)
	}
}

// Who opens connections without end is refused within its account: services and people
// still get one.
func TestConnectionsOfAnAccountEnd(t *testing.T) {
	url := startWith(t, withShop(t, "max_connections: 1000", "max_connections: 3"))
	for range 3 {
		dial(t, url, "shop")
	}
	_, err := nats.Connect(url, nats.UserInfo("shop", "shop"))
	require.ErrorContains(t, err, "maximum account active connections exceeded")
	for _, user := range []string{"publisher", "dispatcher", "operator"} {
		dial(t, url, user)
	}
}
