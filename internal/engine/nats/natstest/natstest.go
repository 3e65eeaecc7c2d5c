// Package natstest runs a broker for a test, in this process.
package natstest

import (
	"context"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/embedded"
)

// Broker is an embedded server with one connection, on its own data directory.
type Broker struct {
	Conn *nats.Conn
	URL  string

	t      testing.TB
	server *embedded.Server
	o      embedded.Options
}

// Run starts a broker that listens on a free port of 127.0.0.1 and is stopped
// when the test ends.
func Run(t testing.TB) *Broker {
	t.Helper()
	return RunWith(t, embedded.Options{Dir: t.TempDir(), Port: -1, LazySync: true})
}

// RunWith is Run with options of the server.
func RunWith(t testing.TB, o embedded.Options) *Broker {
	t.Helper()
	if o.Port == -1 {
		o.Port = port(t, "nats://"+FreeAddresses(t, 1)[0])
	}
	b := &Broker{t: t, o: o}
	b.start()
	t.Cleanup(func() {
		if b.server != nil {
			b.Stop()
		}
	})
	b.Conn = b.Connect("test")
	return b
}

func (b *Broker) start() {
	b.t.Helper()
	server, err := embedded.Start(b.o)
	require.NoError(b.t, err)
	b.server = server
	b.URL = server.URL()
}

// Connect opens another connection, closed when the test ends.
func (b *Broker) Connect(name string) *nats.Conn {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	nc, err := natsengine.Connect(ctx, natsengine.ConnectOptions{URL: b.URL, Name: name})
	require.NoError(b.t, err)
	b.t.Cleanup(nc.Close)
	return nc
}

// StageInMemory makes the server stage atomic batches in memory.
func (b *Broker) StageInMemory() {
	b.t.Helper()
	b.server.StageInMemory()
}

// Stop ends the server; Restart starts it again on the same data and port.
func (b *Broker) Stop() {
	b.t.Helper()
	require.NoError(b.t, b.server.Shutdown())
	b.server = nil
}

// Restart stops the server if it runs, starts it again and waits until Conn is
// back; other connections come back by themselves.
func (b *Broker) Restart() {
	b.t.Helper()
	if b.server != nil {
		b.Stop()
	}
	b.start()
	require.Eventually(b.t, func() bool {
		_, err := b.Conn.RTT()
		return err == nil
	}, time.Minute, 5*time.Millisecond)
}
