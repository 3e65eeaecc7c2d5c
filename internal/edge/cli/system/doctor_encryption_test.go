package system

import (
	"bytes"
	"crypto/tls"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
)

type connection struct {
	address   string
	encrypted bool
}

func (c connection) ConnectedAddr() string { return c.address }

func (c connection) TLSConnectionState() (tls.ConnectionState, error) {
	if !c.encrypted {
		return tls.ConnectionState{}, errors.New("no TLS")
	}
	return tls.ConnectionState{Version: tls.VersionTLS13}, nil
}

// Passwords may cross a network encrypted only.
func TestEncryptionIsNeededBeyondThisMachine(t *testing.T) {
	for _, c := range []struct {
		connection
		attention int
		want      string
	}{
		{connection{address: "127.0.0.1:4222"}, 0, "none needed"},
		{connection{address: "[::1]:4222"}, 0, "none needed"},
		{connection{address: "10.0.0.7:4222"}, 1, "in clear text"},
		{connection{address: "10.0.0.7:4222", encrypted: true}, 0, "TLS 1.3"},
	} {
		var out bytes.Buffer
		check := &checkup{Call: &cli.Call{Context: t.Context(), Stdout: &out}}
		encryption(check, c.connection)
		require.Equal(t, c.attention, check.attention, c.address)
		require.Contains(t, out.String(), c.want)
	}
}
