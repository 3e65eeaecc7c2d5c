package replay

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/buildinfo"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	natscommit "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/commit"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/natstest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
)

// A replay by another build than the one that recorded says so before what it found (AU-12).
func TestReplayNamesOtherBuilds(t *testing.T) {
	ctx := context.Background()
	broker, err := nats.Open(natstest.Run(t).Conn, topology.Topology{Partitions: 1}, nats.Keys{}, nil)
	require.NoError(t, err)
	_, err = topology.ProvisionOwn(ctx, broker.JetStream(), broker.Topology())
	require.NoError(t, err)
	commit := func(b *nats.Broker, at uint64) {
		t.Helper()
		sink, err := natscommit.Sink(b, "evaluator")
		require.NoError(t, err)
		log, err := sink.Open(ctx, 0)
		require.NoError(t, err)
		require.NoError(t, log.Commit(ctx, engine.Batch{Position: engine.Position{Sequence: at}}))
	}
	found, err := otherBuilds(ctx, record.Running(broker), "evaluator")
	require.NoError(t, err)
	require.Empty(t, found, "nothing is recorded")
	commit(broker, 1)
	found, err = otherBuilds(ctx, record.Running(broker), "evaluator")
	require.NoError(t, err)
	require.Empty(t, found, "this build recorded it")
	last := buildinfo.Build{Version: "v0.9.0", Revision: "0123456789abcdef"}
	commit(broker.As(last), 2)
	found, err = otherBuilds(ctx, record.Running(broker), "evaluator")
	require.NoError(t, err)
	require.Equal(t, []buildinfo.Build{buildinfo.Current(), last}, found)

	var b strings.Builder
	Stage{Stage: "evaluator", OtherBuilds: []buildinfo.Build{last}}.text(&b, Report{Build: buildinfo.Build{Version: "v1.0.0"}})
	require.True(t, strings.HasPrefix(b.String(), "evaluator   another build: SIGNALS was recorded by v0.9.0 (0123456789ab), and this is v1.0.0\n"), b.String())
}
