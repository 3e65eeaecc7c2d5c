package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service/system"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/embedded"
)

// partitions are few, so that every process meets every other on each.
const partitions = 4

// replicas is the number of copies of every stream: one with a single broker, one on each node of a
// cluster.
var replicas = 1

// settings returns the configuration of every child, without HTTP.
func settings(url string) config.Config { return member{urls: url}.settings() }

// settings returns the configuration of a child.
func (m member) settings() config.Config {
	c := config.Default()
	c.NATS.URL = m.urls
	c.Streams.Partitions, c.Streams.Replicas = partitions, replicas
	c.HTTP.Address = m.http
	return c
}

// child is the main function of a child process; it returns the exit code.
func child(role, directory string, m member, p plan) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	var err error
	switch url := m.urls; role {
	case "broker":
		err = broker(ctx, url, directory)
	case "node":
		err = node(ctx, m, directory)
	case "publisher":
		err = publisher(ctx, m, directory, p)
	default:
		c := m.settings()
		if role == "advisor" {
			c = advised(c)
		}
		err = service.Run(ctx, service.Options{
			Services: system.Services(role), Config: c, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
			Alone: true,
		})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, role+":", err)
		return 1
	}
	return 0
}

// broker runs the embedded server, with every write synced.
func broker(ctx context.Context, url, directory string) error {
	host, number, err := address(url)
	if err != nil {
		return err
	}
	server, err := embedded.Start(embedded.Options{Dir: directory, Host: host, Port: number})
	if err != nil {
		return err
	}
	<-ctx.Done()
	return server.Shutdown()
}
