package audit

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/keep"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/natstest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
)

// The key of a stage that runs is not replaced; those of others are (AU-3).
func TestRotationOfAStageThatRuns(t *testing.T) {
	own := natstest.Run(t)
	broker, err := nats.Open(own.Conn, topology.Topology{Partitions: 2, Beat: time.Second}, nats.Keys{}, nil)
	require.NoError(t, err)
	_, err = topology.ProvisionOwn(t.Context(), broker.JetStream(), broker.Topology())
	require.NoError(t, err)
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir) // whoever runs the test may have credentials
	seeds := []string{filepath.Join(dir, "one.seed"), filepath.Join(dir, "two.seed")}
	var keys []string
	for _, seed := range seeds {
		var public bytes.Buffer
		require.NoError(t, (&keysNewCommand{File: seed}).Run(&cli.Call{Context: t.Context(), Stdout: &public}))
		keys = append(keys, strings.TrimSpace(public.String()))
	}
	settings := filepath.Join(dir, "config.yaml")
	text := "security: {signing_seed: " + seeds[0] + ", trusted_keys: [" + strings.Join(keys, ", ") + "]}\nstreams: {partitions: 2}\nnats: {url: \"" + own.Conn.ConnectedUrl() + "\"}\n"
	require.NoError(t, os.WriteFile(settings, []byte(text), 0o600))
	rotate := func(stage, next string) error {
		var out, messages bytes.Buffer
		return (&keysRotateCommand{Stage: stage, Next: next}).Run(&cli.Call{Context: t.Context(), Stdout: &out, Stderr: &messages, Config: settings})
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	_, err = keep.Members(ctx, broker, "ingest", "one")
	require.NoError(t, err)
	err = rotate("ingest", seeds[1])
	require.ErrorContains(t, err, "ingest runs (ingest one)")
	require.ErrorContains(t, err, "stop every instance and run this again")
	require.NoError(t, rotate("evaluator", seeds[1]))
	require.ErrorContains(t, rotate("evaluator", seeds[0]), "already", "it would replace itself")
	stop()
	require.Eventually(t, func() bool { return rotate("ingest", seeds[1]) == nil }, time.Minute, 50*time.Millisecond)
}
