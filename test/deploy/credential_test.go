package deploy

import (
	"bytes"
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service/system"
	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	natsdead "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/dead"
	natsread "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// say publishes a run event as a user on a class of subjects; forged, when set,
// is the credential that its header claims (EV-10).
func say(t *testing.T, url, user, class, id string, data any, typ events.Type, forged events.Role) {
	t.Helper()
	header, body, err := events.EncodeBinary(events.Event{
		ID: id, Source: "/test", Type: typ, Subject: "r", Time: time.Unix(1_800_000_000, 0).UTC(), Data: data,
	})
	require.NoError(t, err)
	if forged != "" {
		header["ce-credential"] = []string{string(forged)}
	}
	nc := dial(t, url, user)
	defer nc.Close()
	reply, err := nc.RequestMsg(&nats.Msg{Subject: class + ".r.r", Header: header, Data: body}, 10*time.Second)
	require.NoError(t, err)
	require.NotContains(t, string(reply.Data), "error")
}

// EV-10: the credential behind a run event is proven by its subject, which the broker's permissions enforce.
// The same type on run.raw is a claim, whatever its actor or header says.
func TestCredentialsAreProvenBySubjects(t *testing.T) {
	url := start(t)
	human := runevents.Actor{Kind: runevents.ActorHuman, ID: "ada"}
	infra := runevents.Actor{Kind: runevents.ActorInfra, ID: "git"}
	commit := &runevents.GitCommit{Actor: infra, SHA: "abc", Branch: "main"}
	approved := &runevents.PlanApproved{Actor: human, By: "ada"}
	recovery := &runevents.RecoverySelected{Actor: human, Wave: 1, Option: 1, By: "ada"}
	resumed := &runevents.RunResumed{Actor: human, By: "ada", Why: "fixed"}
	want := map[string]events.Role{}
	for _, one := range []struct {
		id, user, class string
		typ             events.Type
		data            any
		forged, want    events.Role
	}{
		{"claimed-commit", "publisher", "run.raw", runevents.TypeGitCommit, commit, "", events.RolePublisher},
		{"commit", "infra", "run.fact", runevents.TypeGitCommit, commit, "", events.RoleInfra},
		{"claimed-approval", "publisher", "run.raw", runevents.TypePlanApproved, approved, "", events.RolePublisher},
		{"approval", "operator", "operator.act", runevents.TypePlanApproved, approved, "", events.RoleOperator},
		{"claimed-recovery", "publisher", "run.raw", runevents.TypeRecoverySelected, recovery, "", events.RolePublisher},
		{"recovery", "operator", "operator.act", runevents.TypeRecoverySelected, recovery, "", events.RoleOperator},
		{"claimed-resume", "publisher", "run.raw", runevents.TypeRunResumed, resumed, "", events.RolePublisher},
		{"resume", "operator", "operator.act", runevents.TypeRunResumed, resumed, "", events.RoleOperator},
		{"forged-operator", "publisher", "run.raw", runevents.TypeRunResumed, resumed, events.RoleOperator, events.RolePublisher},
		{"forged-infra", "publisher", "run.raw", runevents.TypeGitCommit, commit, events.RoleInfra, events.RolePublisher},
		{"forged-service", "publisher", "run.raw", runevents.TypePlanApproved, approved, events.RoleDispatcher, events.RolePublisher},
		{"modest-operator", "operator", "operator.act", runevents.TypePlanApproved, approved, events.RolePublisher, events.RoleOperator},
	} {
		say(t, url, one.user, one.class, one.id, one.data, one.typ, one.forged)
		want[one.id] = one.want
	}
	// Infrastructure is not an operator, and an operator reports no facts, not even as a claim.
	say(t, url, "infra", "run.fact", "infra-approves", approved, runevents.TypePlanApproved, "")
	say(t, url, "operator", "operator.act", "operator-commits", commit, runevents.TypeGitCommit, "")
	say(t, url, "publisher", "run.raw", "last", &runevents.RunCompleted{Actor: human, Outcome: "success"}, runevents.TypeRunCompleted, "")
	want["last"] = events.RolePublisher

	ctx, stop := context.WithTimeout(context.Background(), 3*time.Minute)
	defer stop()
	broker, reader := ingested(t, ctx, url)
	got := map[string]events.Role{}
	for got["last"] == "" {
		a, err := reader.Next(ctx)
		require.NoError(t, err)
		if d, _ := events.Lookup(a.Input.Event.Type); d.RunEvent {
			got[a.Input.Event.ID] = a.Input.Event.Credential
		}
	}
	require.Equal(t, want, got)
	var refused []string
	require.NoError(t, natsdead.Letters(ctx, broker, func(l natsdead.Stored) error {
		refused = append(refused, l.ID)
		return nil
	}))
	require.Equal(t, []string{"infra-approves", "operator-commits"}, refused)
}

// ingested runs ingest until the test ends, and reads what it commits.
func ingested(t *testing.T, ctx context.Context, url string) (*natsengine.Broker, *natsread.Reader) {
	t.Helper()
	running, end := context.WithCancel(ctx)
	done := make(chan error, 1)
	c := config.Default()
	c.NATS.URL, c.NATS.User, c.NATS.Password, c.Streams.Partitions, c.HTTP.Address = url, "ingest", "ingest", 4, ""
	go func() {
		done <- service.Run(running, service.Options{Services: system.Services("ingest"), Config: c, Log: quiet()})
	}()
	t.Cleanup(func() {
		end()
		require.NoError(t, <-done)
	})
	broker, err := natsengine.Open(dial(t, url, "admin"), topology.Topology{Partitions: 4}, natsengine.Keys{}, nil)
	require.NoError(t, err)
	reader, err := natsread.Open(ctx, broker, natsread.Options{Stage: "ingest", Partition: natsengine.AllPartitions})
	require.NoError(t, err)
	t.Cleanup(reader.Close)
	return broker, reader
}

// warnings keeps what services warn of.
type warnings struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (w *warnings) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.Write(p)
}

func (w *warnings) text() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.String()
}

func (w *warnings) log() *slog.Logger {
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelWarn}))
}
