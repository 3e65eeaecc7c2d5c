package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/link/credential"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/embedded"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/natstest"
)

// The parts of a call share the configuration as it was read first, and one connection for each login.
func TestACallReadsAndDialsOnce(t *testing.T) {
	broker := natstest.Run(t)
	file := filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(file, []byte("rules: ours.yaml\n"), 0o600))
	r := &Call{Context: t.Context(), Config: file, Session: &Session{}}
	c := Connection{Server: broker.URL}

	first, one, err := c.Open(r)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, []byte("rules: others.yaml\n"), 0o600))
	second, again, err := c.Open(r)
	require.NoError(t, err)
	require.Same(t, one, again)
	require.Same(t, first, second)
	settings, err := c.Settings(r)
	require.NoError(t, err)
	require.Equal(t, "ours.yaml", filepath.Base(settings.Rules))

	one.Close()
	_, fresh, err := c.Open(r)
	require.NoError(t, err)
	require.NotSame(t, one, fresh, "a connection that ended is not used again")

	r.Session.Close()
	require.True(t, fresh.IsClosed())
}

// With --operator, what a command reads and what it sends go through one connection.
func TestAnOperatorReadsAndActsAsOne(t *testing.T) {
	folder := t.TempDir()
	public, err := credential.Keep(folder)
	require.NoError(t, err)
	server, err := embedded.Start(embedded.Options{
		Dir: t.TempDir(), Port: -1, LazySync: true,
		Users: []embedded.User{{PublicKey: public[credential.Operator], Rights: embedded.OperatorRights()}},
	})
	require.NoError(t, err)
	defer func() { require.NoError(t, server.Shutdown()) }()
	o := Operated{Connection: Connection{Server: server.URL()}, Operator: credential.File(folder, credential.Operator)}
	require.NoError(t, o.AfterApply())
	r := &Call{Context: t.Context(), Session: &Session{}}
	defer r.Session.Close()

	_, reads, err := o.Open(r)
	require.NoError(t, err)
	as, err := o.AsOperator(r, "halt")
	require.NoError(t, err)
	_, acts, err := as.Open(r)
	require.NoError(t, err)
	require.Same(t, reads, acts)
	require.Empty(t, o.AsAdmin().file, "others log in with their own credential")
	require.Empty(t, o.AsInfra().file)
}
