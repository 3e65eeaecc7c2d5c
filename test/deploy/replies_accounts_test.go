package deploy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"
)

var oneAccount = filepath.Join("testdata", "one-account.conf")

// targets are subjects of services that no client may write, each in the stream
// named; %s is whose trick it is.
var targets = map[string]string{
	"$KV.MEMBERS.evaluator.%s":     "KV_MEMBERS",
	"$KV.CONTROL.run.%s":           "KV_CONTROL",
	"$KV.POSITIONS.timers.%s":      "KV_POSITIONS",
	"$KV.RULES.%s":                 "KV_RULES",
	"timer.at.dispatcher.g.%s.x":   "TIMERS",
	"timer.expired.g.%s":           "TIMERS",
	"dead.ingest.0.g.%s":           "DEADLETTER",
	"ckpt.ingest.%s":               "SEGMENTS",
	"ckpt.evaluator.%s":            "SIGNALS",
	"ckpt.dispatcher.%s":           "DECISIONS",
	"snap.dispatcher.0.%s":         "DECISIONS",
	"interrupt.fired.0.g.%s":       "DECISIONS",
	"operator.act.g.%s":            "INPUT",
	"run.fact.g.%s":                "INPUT",
	"operator.act.0.g.%s":          "",
	"agents.API.STREAM.DELETE.%s":  "",
	"services.API.CONSUMER.CREATE": "",
}

// requests lists what each client may request, and whose answers it can thus direct to a subject.
var requests = map[string][]string{
	"publisher":    {"turn.raw.g.s", "gate.request", "run.raw.g.g"},
	"infra":        {"run.fact.g.g"},
	"orchestrator": {"turn.raw.g.s", "$JS.API.STREAM.INFO.DECISIONS", "$JS.API.DIRECT.GET.DECISIONS.turn.raw"},
	"subscriber":   {"$JS.API.STREAM.INFO.DECISIONS", "$JS.API.DIRECT.GET.KV_CONTROL.$KV.CONTROL.run.x"},
}

// trick has each request of a user answered to every target, and returns which
// streams hold something of it afterwards.
func trick(t *testing.T, url, user string) (written map[string]bool) {
	t.Helper()
	nc := dial(t, url, user)
	for target := range targets {
		if strings.Contains(target, "%s") {
			target = fmt.Sprintf(target, user)
		}
		for _, request := range requests[user] {
			require.NoError(t, nc.PublishRequest(request, target, []byte(`{}`)))
		}
		if user == "orchestrator" || user == "subscriber" {
			push(t, nc, user+strings.Map(letter, target), target)
		}
	}
	require.NoError(t, nc.Flush())
	if user == "publisher" || user == "orchestrator" { // what was asked before it has been answered
		_, err := nc.Request("turn.raw.g.last", []byte("{}"), 10*time.Second)
		require.NoError(t, err)
	}
	return foreign(t, url, user)
}

// push asks for a consumer that delivers what is read to a subject.
func push(t *testing.T, nc *nats.Conn, name, target string) {
	t.Helper()
	for _, stream := range []string{"DECISIONS", "KV_CONTROL"} {
		body, err := json.Marshal(map[string]any{"stream_name": stream, "config": map[string]any{
			"name": name, "deliver_subject": target, "ack_policy": "none", "deliver_policy": "all", "inactive_threshold": time.Minute,
		}})
		require.NoError(t, err)
		_, _ = nc.Request("$JS.API.CONSUMER.CREATE."+stream+"."+name, body, time.Second)
	}
}

func letter(r rune) rune {
	if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
		return r
	}
	return -1
}

// foreign returns the streams that hold a message on one of a user's targets.
func foreign(t *testing.T, url, user string) map[string]bool {
	t.Helper()
	js, err := jetstream.New(dial(t, url, "admin"))
	require.NoError(t, err)
	written := map[string]bool{}
	for target, name := range targets {
		if name == "" {
			continue
		}
		stream, err := js.Stream(t.Context(), name)
		require.NoError(t, err)
		subject := fmt.Sprintf(target, user)
		if name == "INPUT" { // with the partition
			subject = strings.Replace(subject, ".g.", ".*.g.", 1)
		}
		_, err = stream.GetLastMsgForSubject(t.Context(), subject)
		if err == nil {
			written[name] = true
			continue
		}
		require.True(t, errors.Is(err, jetstream.ErrMsgNotFound), "%v", err)
	}
	return written
}

// With accounts of their own, a client's reply subject leads to no stream of the
// services, whatever it asks and has delivered (EV-6, EV-10). In one account it
// leads to each.
func TestReplySubjectsLeadNowhere(t *testing.T) {
	fill := func(url string) { // something to deliver
		js, err := jetstream.New(dial(t, url, "admin"))
		require.NoError(t, err)
		_, err = js.Publish(context.Background(), "interrupt.fired.0.g.s", []byte(`{"any":"text"}`))
		require.NoError(t, err)
		_, err = js.Publish(context.Background(), "$KV.CONTROL.run.x", []byte(`{"state":"running"}`))
		require.NoError(t, err)
	}
	t.Run("accounts", func(t *testing.T) {
		url := start(t)
		fill(url)
		for user := range requests {
			require.Empty(t, trick(t, url, user), user)
		}
		copies, err := jetstream.NewWithAPIPrefix(dial(t, url, "admin"), "agents.API")
		require.NoError(t, err)
		for _, name := range []string{"DECISIONS", "KV_CONTROL"} {
			stream, err := copies.Stream(t.Context(), name)
			require.NoError(t, err)
			require.Eventually(t, func() bool { // what fill wrote, and nothing else
				info, err := stream.Info(t.Context())
				return err == nil && info.State.Msgs == 1
			}, time.Minute, 10*time.Millisecond, "nobody writes the copy of %s", name)
		}
	})
	t.Run("one account", func(t *testing.T) {
		url := startWith(t, oneAccount)
		fill(url)
		trick(t, url, "publisher")
		for _, name := range []string{"KV_MEMBERS", "KV_CONTROL", "KV_POSITIONS", "KV_RULES", "TIMERS", "DEADLETTER", "DECISIONS", "INPUT"} {
			require.Eventually(t, func() bool { return foreign(t, url, "publisher")[name] }, time.Minute, 10*time.Millisecond, "nothing reaches %s", name)
		}
	})
}
