package loopback

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestIs(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "127.0.0.1": true, "127.9.0.2": true, "::1": true,
		"": false, "0.0.0.0": false, "10.0.0.1": false, "localhost.example.org": false, "127.0.0.1.example.org": false,
	} {
		require.Equal(t, want, Is(host), host)
	}
}
