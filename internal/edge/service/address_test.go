package service

import (
	"context"
	"log/slog"
	"net"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
)

// A service has its usual port; a second instance on the machine has a free one,
// unless a setting named the port.
func TestTheUsualPort(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	address := taken.Addr().String()
	p := &Process{Options: Options{Config: config.Config{HTTP: config.HTTP{Address: address}}, Log: slog.New(slog.DiscardHandler), AnyPort: true}, Metrics: prometheus.NewRegistry()}
	server, err := p.serveHTTP(nil)
	require.NoError(t, err)
	defer server.Close(context.Background())
	require.NotEqual(t, address, server.Address())
	p.AnyPort = false
	_, err = p.serveHTTP(nil)
	require.ErrorContains(t, err, "address already in use")
}
