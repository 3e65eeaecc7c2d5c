package deploy

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/git/githook"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/hook/hookapi"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/link/credential"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/publish/operator"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// squatter has the publisher's key and nothing else. It knows the source and id of an
// event that somebody else is about to send, and tries to have that one taken for a
// repeat: by the broker, with junk that has its message id, and by ingest, with an
// event of the same source, id and group that claims to be it.
type squatter struct {
	t  *testing.T
	nc *nats.Conn
}

func (s squatter) squat(coming events.Event) {
	s.t.Helper()
	js, err := jetstream.New(s.nc)
	require.NoError(s.t, err)
	junk := nats.NewMsg("turn.raw.junk.junk")
	junk.Header.Set(jetstream.MsgIDHeader, coming.MessageID())
	ack, err := js.PublishMsg(s.t.Context(), junk)
	require.NoError(s.t, err)
	require.Equal(s.t, "INPUT", ack.Stream)

	if coming.Data == nil {
		return
	}
	header, data, err := events.EncodeBinary(coming)
	require.NoError(s.t, err)
	claim := &nats.Msg{Subject: fmt.Sprintf("run.raw.%s.%s", coming.Group(), coming.Subject), Header: header, Data: data}
	_, err = js.PublishMsg(s.t.Context(), claim)
	require.NoError(s.t, err)
}

// comes waits until a stream has a message of an event, and returns it. An empty source
// is any.
func comes(t *testing.T, admin *nats.Conn, stream, filter, id, source string) (found jetstream.Msg) {
	t.Helper()
	js, err := jetstream.New(admin)
	require.NoError(t, err)
	consumer, err := js.OrderedConsumer(t.Context(), stream, jetstream.OrderedConsumerConfig{FilterSubjects: []string{filter}})
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	for {
		m, err := consumer.Next(jetstream.FetchContext(ctx))
		require.NoError(t, err, "%s never came to %s", id, filter)
		if m.Headers().Get("ce-id") == id && (source == "" || m.Headers().Get("ce-source") == source) {
			return m
		}
	}
}

// What one sends, no stranger can have swallowed: not by the broker, not by ingest
// (EV-2, EV-10).
func TestAStrangerCannotUseUpAnId(t *testing.T) {
	url, keys := up(t)
	admin := login(t, url, keys, credential.Admin)
	hostile := squatter{t, login(t, url, keys, credential.Publisher)}

	t.Run("a fact of the Git hooks", func(t *testing.T) {
		c := config.Default()
		c.NATS.URL, c.Security.Credentials = url, keys
		fact := events.Event{
			ID: events.DerivedID("git-hook", "r1", "5ha", 0), Source: githook.Source, Type: runevents.TypeGitCommit, Subject: "r1", PartitionKey: "r1",
			Data: &runevents.GitCommit{Actor: runevents.Actor{Kind: runevents.ActorInfra, ID: "git-hook"}, SHA: "5ha", Branch: "main"}, Credential: events.RoleInfra,
		}
		hostile.squat(fact)
		waiting, err := githook.SendFacts(t.Context(), c, filepath.Join(t.TempDir(), "spool"), []events.Event{fact}, time.Minute)
		require.NoError(t, err)
		require.Zero(t, waiting)
		comes(t, admin, "INPUT", "run.fact.*.r1.r1", fact.ID, "")
		passed := comes(t, admin, "SEGMENTS", "segments.run.fact.*.r1.r1", fact.ID, githook.Source+"#infra") // apart from the claim
		require.Equal(t, "infra", passed.Headers().Get("ce-credential"))
	})

	t.Run("a person's act", func(t *testing.T) {
		at := time.Now()
		act, err := operator.Mute(operator.Target{Session: "s1", Group: "s1"}, runevents.MuteDetails{Scope: "detector", Detector: "C1"}, "ann", "noise", at)
		require.NoError(t, err)
		act.Source = "/scaffoldwatch/operator"
		hostile.squat(act)
		require.NoError(t, operator.Publish(t.Context(), login(t, url, keys, credential.Operator), act))
		comes(t, admin, "INPUT", "operator.act.*.s1.s1", act.ID, "")
		comes(t, admin, "SEGMENTS", "segments.operator.act.*.s1.s1", act.ID, "")
	})

	t.Run("an event of an orchestrator", func(t *testing.T) {
		run, err := client.OpenRun(login(t, url, keys, credential.Publisher), "r2", client.RunOptions{Source: "/orchestrator", Patience: 2 * time.Minute})
		require.NoError(t, err)
		defer func() { require.NoError(t, run.Close()) }()
		hostile.squat(events.Event{ID: "start", Source: "/orchestrator"})
		verdict, err := run.DoEvent(t.Context(), events.Event{ID: "start", Type: runevents.TypeRunStarted, Data: &runevents.RunStarted{Actor: runevents.Actor{Kind: runevents.ActorOrchestrator, ID: "o"}, Kind: "build"}})
		require.NoError(t, err)
		require.Equal(t, "start", verdict.Event)
		comes(t, admin, "INPUT", "run.raw.*.r2.r2", "start", "")

		for range 2 { // an honest repeat has the same verdict, and counts once
			again, err := run.DoEvent(t.Context(), events.Event{ID: "start", Type: runevents.TypeRunStarted, Data: &runevents.RunStarted{Actor: runevents.Actor{Kind: runevents.ActorOrchestrator, ID: "o"}, Kind: "build"}})
			require.NoError(t, err)
			require.Equal(t, verdict.Event, again.Event)
		}
		_, err = run.Do(t.Context(), runevents.AgentCompleted{AgentID: "maker", Outcome: "success"})
		require.NoError(t, err)
		require.Equal(t, 1, countOf(t, admin, "SEGMENTS", "segments.run.raw.*.r2.r2", "start"))
		require.Equal(t, 3, countOf(t, admin, "INPUT", "run.raw.*.r2.r2", "start"))
	})

	t.Run("a question to a gate", func(t *testing.T) {
		run, err := client.OpenRun(login(t, url, keys, credential.Publisher), "r3", client.RunOptions{Source: "/orchestrator", Patience: 2 * time.Minute})
		require.NoError(t, err)
		defer func() { require.NoError(t, run.Close()) }()
		_, err = run.Do(t.Context(), runevents.RunStarted{Kind: "saw"})
		require.NoError(t, err)
		hostile.squat(events.Event{ID: "may-i", Source: "/orchestrator"})
		verdict, err := run.DoEvent(t.Context(), events.Event{
			ID: "may-i", Type: runevents.TypeGateRequested, Data: &runevents.GateRequested{Actor: runevents.Actor{Kind: runevents.ActorOrchestrator, ID: "o"}, Gate: runevents.GateLaunch, Wave: 1},
		})
		require.NoError(t, err)
		require.NotEmpty(t, verdict.Gates())
	})

	t.Run("what a hook records of an interrupt", func(t *testing.T) {
		publisher, err := client.NewPublisher(login(t, url, keys, credential.Publisher), client.PublisherOptions{Source: hookapi.Source})
		require.NoError(t, err)
		defer func() { require.NoError(t, publisher.Close()) }()
		id := events.DerivedID("hook", "i1", string(sessionevents.DeliveryEmitted), 0)
		hostile.squat(events.Event{ID: id, Source: hookapi.Source})
		_, err = publisher.Event(t.Context(), events.Event{
			ID: id, Type: sessionevents.TypeInterruptDelivery, Subject: "s4",
			Data: &sessionevents.InterruptDelivery{Interrupt: "i1", Session: "s4", Turn: 1, State: sessionevents.DeliveryEmitted, By: "hook"},
		})
		require.NoError(t, err)
		comes(t, admin, "INPUT", "interrupt.delivery.*.s4.s4", id, "")
	})

	t.Run("nothing that the system sends has a message id", func(t *testing.T) {
		js, err := jetstream.New(admin)
		require.NoError(t, err)
		names := js.StreamNames(t.Context())
		for name := range names.Name() {
			info, err := js.Stream(t.Context(), name)
			require.NoError(t, err)
			for at := info.CachedInfo().State.FirstSeq; at <= info.CachedInfo().State.LastSeq; at++ {
				m, err := info.GetMsg(t.Context(), at)
				if err != nil || m.Subject == "turn.raw.3.junk.junk" || m.Header.Get("ce-id") == "" {
					continue
				}
				require.Empty(t, m.Header.Get(jetstream.MsgIDHeader), "%s %s", name, m.Subject)
			}
		}
		require.NoError(t, names.Err())
	})
}

func countOf(t *testing.T, admin *nats.Conn, stream, filter, id string) (n int) {
	for _, m := range all(t, admin, stream, filter) {
		if m.Headers().Get("ce-id") == id {
			n++
		}
	}
	return n
}

// all returns what a stream has on a subject now.
func all(t *testing.T, admin *nats.Conn, stream, filter string) (found []jetstream.Msg) {
	t.Helper()
	js, err := jetstream.New(admin)
	require.NoError(t, err)
	consumer, err := js.OrderedConsumer(t.Context(), stream, jetstream.OrderedConsumerConfig{FilterSubjects: []string{filter}})
	require.NoError(t, err)
	for {
		batch, err := consumer.FetchNoWait(1000)
		require.NoError(t, err)
		before := len(found)
		for m := range batch.Messages() {
			found = append(found, m)
		}
		require.NoError(t, batch.Error())
		if len(found) == before {
			return found
		}
	}
}
