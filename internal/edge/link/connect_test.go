package link

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/link/credential"
)

// The key of this machine is shown to this machine alone, and only where the
// configuration names nobody.
func TestKeysOfThisMachineStayHere(t *testing.T) {
	keys := t.TempDir()
	_, err := credential.Keep(keys)
	require.NoError(t, err)
	own := credential.File(keys, credential.Operator)
	for _, c := range []struct {
		url, user, creds, want, name string
	}{
		{url: "nats://127.0.0.1:4222", want: own, name: "cli_operator"},
		{url: "nats://localhost:4222", want: own, name: "cli_operator"},
		{url: "nats://[::1]:4222, nats://127.0.0.2:4222", want: own, name: "cli_operator"},
		{url: "nats://127.0.0.1:4222,nats://example.org:4222", name: "cli"},
		{url: "nats://127.0.0.1.example.org:4222", name: "cli"},
		{url: "nats://10.0.0.1:4222", name: "cli"},
		{url: "nats://ann:secret@127.0.0.1:4222", name: "cli"},
		{url: "nats://127.0.0.1:4222", user: "operator", name: "cli"},
		{url: "nats://127.0.0.1:4222", creds: "mine.creds", want: "mine.creds", name: "cli"},
		{url: "://", name: "cli"},
	} {
		settings := config.Default()
		settings.NATS.URL, settings.NATS.User, settings.NATS.Credentials, settings.Security.Credentials = c.url, c.user, c.creds, keys
		o := As(settings, credential.Operator, "cli")
		require.Equal(t, c.want, o.Creds, c.url)
		require.Equal(t, c.name, o.Name, c.url)
	}
}
