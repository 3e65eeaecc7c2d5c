package deploy

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/link"
	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/natstest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
)

var clustered = filepath.Join("..", "..", "deploy", "nats", "cluster.conf")

// fleet starts three servers with the shipped cluster.conf, as docs/install.md says.
func fleet(t *testing.T, c *certificates) (servers []*server.Server, clients, routes []string) {
	t.Helper()
	free := natstest.FreeAddresses(t, 6)
	clients, routes = free[:3], free[3:]
	t.Setenv("NATS_ROUTES", "[nats-route://"+strings.Join(routes, ", nats-route://")+"]")
	t.Setenv("NATS_CERT", c.server)
	t.Setenv("NATS_KEY", c.serverKey)
	t.Setenv("NATS_ROUTES_CA", c.authority)
	for _, user := range users {
		t.Setenv(strings.ToUpper(user)+"_PASSWORD", user)
	}
	for i := range clients {
		t.Setenv("NATS_SERVER_NAME", "nats-"+strconv.Itoa(i+1))
		t.Setenv("NATS_LISTEN", clients[i])
		t.Setenv("NATS_CLUSTER_LISTEN", routes[i])
		t.Setenv("NATS_STORE_DIR", t.TempDir())
		options, err := server.ProcessConfigFile(clustered)
		require.NoError(t, err)
		ns, _ := startServer(t, options)
		servers = append(servers, ns)
	}
	return servers, clients, routes
}

// Three servers as shipped: streams have three replicas, services and people connect
// with nats.tls_ca, and nobody else gets in.
func TestFleetIsEncrypted(t *testing.T) {
	c := certify(t)
	servers, clients, routes := fleet(t, c)
	for _, ns := range servers {
		require.True(t, ns.ReadyForConnections(2*time.Minute))
	}
	settings := config.Default()
	settings.NATS.URL = "nats://" + strings.Join(clients, ",nats://")
	settings.NATS.User, settings.NATS.Password, settings.NATS.TLSCA = "admin", "admin", c.authority
	settings.Streams.Replicas, settings.Streams.Partitions = 3, 4
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	nc, err := natsengine.Connect(ctx, link.Options(settings, "admin"))
	require.NoError(t, err)
	t.Cleanup(nc.Close)
	require.True(t, nc.TLSRequired())

	js, err := natsengine.JetStream(nc)
	require.NoError(t, err)
	require.Eventually(t, func() bool { // a leader of the cluster is elected first
		_, err = topology.Provision(context.Background(), js, link.Topology(settings))
		return err == nil
	}, time.Minute, 200*time.Millisecond)
	stream, err := js.Stream(ctx, "DECISIONS")
	require.NoError(t, err)
	info, err := stream.Info(ctx)
	require.NoError(t, err)
	require.Len(t, info.Cluster.Replicas, 2)

	t.Run("a client that does not know the authority", func(t *testing.T) {
		settings.NATS.TLSCA = ""
		short, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
		defer cancel()
		_, err := natsengine.Connect(short, link.Options(settings, "admin"))
		require.ErrorContains(t, err, "certificate")
	})
	t.Run("a server that is not encrypted", func(t *testing.T) {
		settings.NATS.URL, settings.NATS.TLSCA = start(t), c.authority
		short, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
		defer cancel()
		_, err := natsengine.Connect(short, link.Options(settings, "admin"))
		require.ErrorContains(t, err, "secure connection not available")
	})
	t.Run("a server without a certificate of the authority", func(t *testing.T) {
		before := servers[0].NumRoutes()
		stranger := intruder(t, routes, certify(t))
		require.Never(t, func() bool { return stranger.NumRoutes() > 0 || servers[0].NumRoutes() > before }, 3*time.Second, 100*time.Millisecond)
	})
	t.Run("a server with one", func(t *testing.T) { // the test above can fail
		friend := intruder(t, routes, c)
		require.Eventually(t, func() bool { return friend.NumRoutes() > 0 }, time.Minute, 100*time.Millisecond)
	})
}

// intruder returns a server that tries to join a cluster with certificates of its own.
func intruder(t *testing.T, routes []string, c *certificates) *server.Server {
	t.Helper()
	file := filepath.Join(t.TempDir(), "intruder.conf")
	require.NoError(t, os.WriteFile(file, []byte(`server_name: intruder
listen: 127.0.0.1:-1
cluster {
  name: scaffoldwatch
  listen: 127.0.0.1:-1
  routes: [nats-route://`+strings.Join(routes, ", nats-route://")+`]
  tls { cert_file: "`+c.server+`", key_file: "`+c.serverKey+`", ca_file: "`+c.authority+`" }
}
`), 0o600))
	options, err := server.ProcessConfigFile(file)
	require.NoError(t, err)
	ns, _ := startServer(t, options)
	return ns
}
