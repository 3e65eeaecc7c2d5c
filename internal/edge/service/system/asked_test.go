package system

import (
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/link/credential"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/vitals"
)

// Without an HTTP interface `up` says over NATS what /readyz would say, its disk included, and to the
// administrator alone (ADR 35).
func TestUpAnswersTheAdministrator(t *testing.T) {
	keys := t.TempDir()
	users, err := Users(keys)
	require.NoError(t, err)
	settings := config.Default()
	settings.HTTP.Address = ""
	up, err := Start(t.Context(), Options{
		Config: settings, Log: slog.New(slog.DiscardHandler), Data: t.TempDir(), Listen: "127.0.0.1:0", LazySync: true,
		Users: users,
	})
	require.NoError(t, err)
	defer func() { require.NoError(t, up.Stop()) }()
	ask := func(role credential.Role) (map[string]string, bool) {
		nc, err := nats.Connect(t.Context(), nats.ConnectOptions{
			URL: up.URL(), Creds: credential.File(keys, role), Name: "cli_" + string(role),
		})
		require.NoError(t, err)
		defer nc.Close()
		return vitals.Ask(t.Context(), nc)
	}
	require.Eventually(t, func() bool {
		words, ok := ask(credential.Admin)
		return ok && words["streams"] == "ok" && words["disk"] != "" && words["dispatcher"] == "ok"
	}, time.Minute, 50*time.Millisecond)
	for _, role := range []credential.Role{credential.Publisher, credential.Infra, credential.Operator} {
		_, ok := ask(role)
		require.False(t, ok, role)
	}
}
