package service

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/keep"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/natstest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/vitals"
	"github.com/scaffoldwatch/scaffoldwatch/internal/obs"
)

func TestWhyThereIsNoConnection(t *testing.T) {
	for _, c := range []struct {
		user string
		err  error
		want []string
	}{
		{"ingest", nats.ErrAuthorization, []string{
			"authorization violation", `does not accept "ingest"`,
			"SCAFFOLDWATCH_NATS_PASSWORD",
		}},
		{"", nats.ErrAuthorization, []string{"nats.user and nats.password"}},
		{
			"ingest", &tls.CertificateVerificationError{Err: errors.New("x509: certificate signed by unknown " +
				"authority")},
			[]string{"x509", "nats.tls_ca"},
		},
		{"ingest", &fs.PathError{Op: "open", Path: "/etc/ca.pem", Err: fs.ErrNotExist}, []string{
			"/etc/ca.pem",
			"nats.tls_ca",
		}},
		{"ingest", nats.ErrNoServers, []string{"no servers available", "check nats.url"}},
	} {
		got := notConnected(config.NATS{User: c.user}, fmt.Errorf("connect: %w", c.err))
		for _, want := range c.want {
			require.ErrorContains(t, got, want)
		}
		require.ErrorIs(t, got, c.err)
	}
}

// A request that is denied gets no answer: the reason is what was denied, not the time that ran out.
func TestWhatWasDeniedIsTheReason(t *testing.T) {
	late := fmt.Errorf("look whether a restore is under way: %w", context.DeadlineExceeded)
	var d denial
	require.Equal(t, late, d.explain(late, "ingest", "ingest"))
	d.note(fmt.Errorf("%w: %s", nats.ErrPermissionViolation,
		`Permissions Violation for Subscription to "_INBOX_ingest.x.*"`))
	got := d.explain(late, "ingest", "dispatcher")
	require.ErrorContains(t, got, "permission_denied: the broker denies ingest something: "+
		`Permissions Violation for Subscription to "_INBOX_ingest.x.*": it connects as "dispatcher"`)
	require.NotContains(t, got.Error(), "restore is under way")
	require.Equal(t, late, d.explain(late, "ingest", "dispatcher"), "said once for each denial")
	d.note(fmt.Errorf("%w: %s", nats.ErrPermissionViolation,
		`Permissions Violation for Publish to "$JS.API.STREAM.CREATE.INPUT"`))
	require.ErrorContains(t, d.explain(late, "ingest", "ingest"), "streams init")
	d.note(nats.ErrPermissionViolation)
	other := errors.New("refused")
	require.Equal(t, other, d.explain(other, "ingest", "ingest"), "an answer says more")
}

// The first thing that is asked for is whether a restore is under way. Where nobody answers, that is no reason to
// restore anything.
func TestStreamsThatNobodyAnswersForHaveNoLeader(t *testing.T) {
	late := fmt.Errorf("look whether a restore is under way: %w", context.DeadlineExceeded)
	require.ErrorContains(t, unusable(late), "no_leader: nobody answers for the streams")
	require.ErrorIs(t, unusable(late), context.DeadlineExceeded)
	require.ErrorContains(t, unusable(fmt.Errorf("look: %w", nats.ErrNoResponders)), "no_answer: look: ")
	require.NoError(t, unusable(nil))
	restoring := keep.Restoring{Backup: "b1"}
	require.Equal(t, error(restoring), unusable(restoring))
}

// A connection that is lost is one fault, which its own check names: requests fail without it, whatever the streams
// are like.
func TestALostConnectionSaysNothingOfTheStreams(t *testing.T) {
	server := natstest.Run(t)
	where := topology.Topology{Partitions: 2, Replicas: 1}
	broker, err := natsengine.Open(server.Conn, where, natsengine.Keys{}, nil)
	require.NoError(t, err)
	_, err = topology.ProvisionOwn(t.Context(), broker.JetStream(), where)
	require.NoError(t, err)
	p := &Process{
		Options: Options{Log: slog.New(slog.DiscardHandler)},
		vitals:  obs.NewVitalsMetrics(prometheus.NewRegistry(), where),
	}
	w := &watcher{
		Process: p, broker: broker, metrics: p.vitals, behind: map[string]time.Time{},
		reads: []string{"SEGMENTS"}, writes: vitals.StageWrites("ingest"), stage: "ingest",
	}
	require.True(t, w.look(t.Context()), "%v", p.health.words())
	require.True(t, p.health.ready())
	server.Stop()
	require.Eventually(t, func() bool { return !server.Conn.IsConnected() }, time.Minute, 10*time.Millisecond)
	require.False(t, w.look(t.Context()), "soon looked at again")
	require.True(t, p.health.ready(), "%v", p.health.words())
}
