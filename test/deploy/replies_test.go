package deploy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/link"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service/system"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Reply subjects are not permission-checked: a client that may read DECISIONS can have the broker deliver its
// messages to a subject of INPUT, including the client's own claim of an approval. None of them may become an
// act or a fact (EV-6, EV-10).
func TestRepliesBecomeNoActs(t *testing.T) {
	url := start(t)
	ctx, stop := context.WithTimeout(t.Context(), 4*time.Minute)
	defer stop()
	running, end := context.WithCancel(ctx)
	done := make(chan error, len(link.Stages))
	for _, name := range link.Stages {
		c := config.Default()
		c.NATS.URL, c.NATS.User, c.NATS.Password = url, name, name
		c.Streams.Partitions, c.HTTP.Address = 4, ""
		go func() {
			done <- service.Run(running, service.Options{Services: system.Services(name), Config: c, Log: quiet()})
		}()
	}
	say(t, url, "orchestrator", "run.raw", "begin", &runevents.RunStarted{Actor: runevents.Actor{Kind: runevents.ActorOrchestrator, ID: "o"}, Kind: "saw"}, runevents.TypeRunStarted, "")
	say(t, url, "orchestrator", "run.raw", "claim", &runevents.PlanApproved{Actor: runevents.Actor{Kind: runevents.ActorHuman, ID: "ada"}, By: "ada"}, runevents.TypePlanApproved, "")

	js, err := jetstream.New(dial(t, url, "admin"))
	require.NoError(t, err)
	decisions, err := js.Stream(ctx, "DECISIONS")
	require.NoError(t, err)
	var claim *jetstream.RawStreamMsg
	require.Eventually(t, func() bool {
		claim, err = decisions.GetLastMsgForSubject(ctx, "decisions.operator.act.*.r.r")
		return err == nil && claim.Header.Get("ce-id") == "claim"
	}, 2*time.Minute, 10*time.Millisecond, "the claim is told on")

	input, err := js.Stream(ctx, "INPUT")
	require.NoError(t, err)
	for _, user := range []string{"subscriber", "orchestrator"} {
		for _, target := range []string{"operator.act.r.r", "run.fact.r.r", "operator.act.1.r.r"} {
			nc := dial(t, url, user)
			for what, message := range map[string]struct{ subject, body string }{
				"direct":   {"$JS.API.DIRECT.GET.DECISIONS", fmt.Sprintf(`{"seq":%d}`, claim.Sequence)},
				"batch":    {"$JS.API.DIRECT.GET.DECISIONS", fmt.Sprintf(`{"seq":%d,"batch":5}`, claim.Sequence)},
				"last":     {"$JS.API.DIRECT.GET.DECISIONS." + claim.Subject, ""},
				"envelope": {"$JS.API.STREAM.MSG.GET.DECISIONS", fmt.Sprintf(`{"seq":%d}`, claim.Sequence)},
			} {
				require.NoError(t, nc.PublishRequest(message.subject, target, []byte(message.body)), what)
			}
			name := user + strings.ReplaceAll(target, ".", "_")
			ask(t, nc, "$JS.API.CONSUMER.CREATE.DECISIONS."+name, jetstream.ConsumerConfig{Name: name, FilterSubject: claim.Subject, AckPolicy: jetstream.AckExplicitPolicy, InactiveThreshold: time.Minute})
			require.NoError(t, nc.PublishRequest("$JS.API.CONSUMER.MSG.NEXT.DECISIONS."+name, target, []byte(`{"batch":1}`)))
			ask(t, nc, "$JS.API.CONSUMER.CREATE.DECISIONS."+name+"_push", map[string]any{
				"name": name + "_push", "filter_subject": claim.Subject, "deliver_subject": target, "ack_policy": "none", "inactive_threshold": time.Minute,
			})
			require.NoError(t, nc.Flush())
		}
	}
	// Everything it caused precedes what is published after it, and has been read by then.
	say(t, url, "publisher", "run.raw", "last", &runevents.RunCompleted{Actor: runevents.Actor{Kind: runevents.ActorOrchestrator, ID: "o"}, Outcome: "success"}, runevents.TypeRunCompleted, "")
	require.Eventually(t, func() bool {
		m, err := decisions.GetLastMsgForSubject(ctx, "decisions.run.raw.*.r.r")
		return err == nil && m.Header.Get("ce-type") == string(runevents.TypeRunCompleted)
	}, 2*time.Minute, 10*time.Millisecond)
	told, err := decisions.Info(ctx)
	require.NoError(t, err)
	for seq := told.State.FirstSeq; seq <= told.State.LastSeq; seq++ {
		m, err := decisions.GetMsg(ctx, seq)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			continue // rolled up
		}
		require.NoError(t, err)
		require.NotContains(t, []string{"operator", "infra"}, m.Header.Get("ce-credential"), "%s: %s", m.Subject, m.Data)
	}
	info, err := input.Info(ctx)
	require.NoError(t, err)
	for seq := info.State.FirstSeq; seq <= info.State.LastSeq; seq++ {
		m, err := input.GetMsg(ctx, seq)
		require.NoError(t, err)
		if !strings.HasPrefix(m.Subject, "run.raw.") {
			require.Empty(t, m.Header.Get("ce-type"), "%s: %s", m.Subject, m.Data)
		}
	}
	end()
	for range cap(done) {
		require.NoError(t, <-done)
	}
}

// ask makes a consumer of DECISIONS.
func ask(t *testing.T, nc *nats.Conn, subject string, c any) {
	t.Helper()
	body, err := json.Marshal(map[string]any{"stream_name": "DECISIONS", "config": c})
	require.NoError(t, err)
	reply, err := nc.Request(subject, body, 10*time.Second)
	require.NoError(t, err)
	require.NotContains(t, string(reply.Data), `"error"`)
}
