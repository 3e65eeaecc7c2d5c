package natstest

import (
	"fmt"
	"math/rand/v2"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"
)

// Cluster is three servers of one JetStream cluster in this process, each on its own data
// directory.
type Cluster struct {
	Dirs []string

	t       testing.TB
	clients []int // ports
	routes  []*url.URL
	servers []*server.Server
}

// RunCluster starts three servers that are stopped when the test ends.
func RunCluster(t testing.TB) *Cluster {
	t.Helper()
	const nodes = 3
	c := &Cluster{t: t, servers: make([]*server.Server, nodes)}
	free := FreeAddresses(t, 2*nodes)
	for i := range nodes {
		c.clients = append(c.clients, port(t, "nats://"+free[nodes+i]))
		c.routes = append(c.routes, &url.URL{Scheme: "nats", Host: free[i]})
		c.Dirs = append(c.Dirs, t.TempDir())
	}
	for i := range nodes {
		c.start(i)
	}
	t.Cleanup(func() {
		for _, s := range c.servers {
			s.Shutdown()
			s.WaitForShutdown()
		}
	})
	c.await()
	c.placeable()
	return c
}

// placeable waits until the leader knows of every server what it needs to place a stream on it, which may
// take longer than that they are current.
func (c *Cluster) placeable() {
	c.t.Helper()
	nc, err := nats.Connect(c.URL())
	require.NoError(c.t, err)
	defer nc.Close()
	js, err := jetstream.New(nc)
	require.NoError(c.t, err)
	of := jetstream.StreamConfig{Name: "PLACEABLE", Storage: jetstream.MemoryStorage, Replicas: len(c.servers)}
	require.Eventually(c.t, func() bool {
		_, err := js.CreateStream(c.t.Context(), of)
		return err == nil
	}, 3*time.Minute, 50*time.Millisecond)
	require.NoError(c.t, js.DeleteStream(c.t.Context(), of.Name))
}

func (c *Cluster) start(i int) {
	c.t.Helper()
	s, err := server.NewServer(&server.Options{
		ServerName: fmt.Sprintf("n%d", i), Host: "127.0.0.1", Port: c.clients[i],
		JetStream: true, StoreDir: c.Dirs[i], NoSigs: true, NoLog: true,
		Cluster: server.ClusterOpts{Name: "test", Host: "127.0.0.1", Port: port(c.t, c.routes[i].String())}, Routes: c.routes,
		JetStreamMaxStore: 1 << 30, JetStreamMaxMemory: 64 << 20, MaxPayload: 8 << 20,
	})
	require.NoError(c.t, err)
	go s.Start()
	c.servers[i] = s
	require.True(c.t, s.ReadyForConnections(2*time.Minute))
}

// await waits until the cluster has a leader and every server is current.
func (c *Cluster) await() {
	c.t.Helper()
	require.Eventually(c.t, func() bool {
		return slices.ContainsFunc(c.servers, (*server.Server).JetStreamIsLeader) &&
			!slices.ContainsFunc(c.servers, func(s *server.Server) bool { return !s.JetStreamIsCurrent() })
	}, 3*time.Minute, 50*time.Millisecond)
}

// Restart stops a server as an operator does and starts it again.
func (c *Cluster) Restart(i int) {
	c.t.Helper()
	c.Stop(i)
	c.Start(i)
}

// Stop stops a server as an operator does.
func (c *Cluster) Stop(i int) {
	c.servers[i].Shutdown()
	c.servers[i].WaitForShutdown()
}

// Start starts stopped servers again and waits until the cluster is whole.
func (c *Cluster) Start(stopped ...int) {
	c.t.Helper()
	for _, i := range stopped {
		c.start(i)
	}
	c.await()
}

// URL returns the addresses of all servers, separated by commas.
func (c *Cluster) URL() string {
	var urls []string
	for _, s := range c.servers {
		urls = append(urls, s.ClientURL())
	}
	return strings.Join(urls, ",")
}

// Connect opens a connection to the cluster, closed when the test ends.
func (c *Cluster) Connect() *nats.Conn {
	c.t.Helper()
	nc, err := nats.Connect(c.URL(), nats.MaxReconnects(-1), nats.ReconnectWait(50*time.Millisecond))
	require.NoError(c.t, err)
	c.t.Cleanup(nc.Close)
	return nc
}

// Ports for servers that tests start again on the same one are below those that systems hand out by themselves,
// from 32768 (Linux) or 49152 on: a connection of anybody would get the port between two starts.
const firstPort, lastPort = 10_000, 32_767

// FreeAddresses are addresses of this machine, as host:port, that nothing listens on.
func FreeAddresses(t testing.TB, n int) []string {
	t.Helper()
	addresses, err := Free(n)
	require.NoError(t, err)
	return addresses
}

// Free is FreeAddresses for callers outside a test.
func Free(n int) (addresses []string, err error) {
	for try := 0; len(addresses) < n; try++ {
		address := fmt.Sprintf("127.0.0.1:%d", firstPort+rand.IntN(lastPort-firstPort))
		l, err := net.Listen("tcp", address)
		if err != nil {
			if try < 100*n {
				continue
			}
			return nil, fmt.Errorf("find a free port: %w", err)
		}
		defer func() { _ = l.Close() }() // not before the next, which could get it again
		addresses = append(addresses, address)
	}
	return addresses, nil
}

func port(t testing.TB, address string) int {
	t.Helper()
	u, err := url.Parse(address)
	require.NoError(t, err)
	n, err := strconv.Atoi(u.Port())
	require.NoError(t, err)
	return n
}
