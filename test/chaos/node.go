package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
)

// member is the information that a child process of the cluster gets.
type member struct {
	index int
	urls  string // of all nodes, for clients
	peers string // of all nodes, for each other
	http  string // where a service answers, "" for nowhere
}

// node runs one server of the cluster until it is killed.
func node(ctx context.Context, m member, directory string) error {
	host, port, err := address(strings.Split(m.urls, ",")[m.index])
	if err != nil {
		return err
	}
	peers := strings.Split(m.peers, ",")
	peerHost, peerPort, err := address(peers[m.index])
	if err != nil {
		return err
	}
	ns, err := server.NewServer(&server.Options{
		ServerName: fmt.Sprint("node-", m.index), Host: host, Port: port, MaxPayload: natsengine.MaxPayload, NoSigs: true, NoLog: true,
		JetStream: true, StoreDir: storeOf(directory, m.index), JetStreamMaxStore: 4 << 30, DisableJetStreamBanner: true,
		SyncAlways: true, // like deploy/nats; after a crash such a server replays its log, others do not
		Cluster:    server.ClusterOpts{Name: "chaos", Host: peerHost, Port: peerPort}, Routes: server.RoutesFromStr(m.peers),
	})
	if err != nil {
		return fmt.Errorf("configure node %d: %w", m.index, err)
	}
	go ns.Start()
	if !ns.ReadyForConnections(30 * time.Second) {
		return fmt.Errorf("node %d is not ready after 30 s", m.index)
	}
	<-ctx.Done()
	ns.Shutdown()
	return nil
}

// storeOf returns the folder in which a node stores its streams.
func storeOf(directory string, index int) string {
	return filepath.Join(directory, fmt.Sprint("node-", index))
}

// address returns host and port of a NATS URL.
func address(url string) (string, int, error) {
	host, port, err := net.SplitHostPort(strings.TrimPrefix(url, "nats://"))
	if err != nil {
		return "", 0, fmt.Errorf("read the address %s: %w", url, err)
	}
	number, err := strconv.Atoi(port)
	if err != nil {
		return "", 0, fmt.Errorf("read the port of %s: %w", url, err)
	}
	return host, number, nil
}

// freeURLs returns addresses on which nothing listens.
func freeURLs(count int) (urls []string, err error) {
	var held []net.Listener // all at once, so that no port comes twice
	defer func() {
		for _, one := range held {
			err = errors.Join(err, one.Close())
		}
	}()
	for range count {
		one, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, fmt.Errorf("find a free port: %w", err)
		}
		held, urls = append(held, one), append(urls, "nats://"+one.Addr().String())
	}
	return urls, nil
}
