package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/system"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/embedded"
)

// partitions are few, so that every process meets every other on each.
const partitions = 4

// settings are what every child runs with.
func settings(url string) config.Config {
	c := config.Default()
	c.NATS.URL = url
	c.Streams.Partitions = partitions
	c.HTTP.Address = ""
	return c
}

// child is the main of a child process; it returns the exit code.
func child(role, url, directory string) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	var err error
	if role == "broker" {
		err = broker(ctx, url, directory)
	} else {
		err = service.Run(ctx, service.Options{
			Services: system.Services(role), Config: settings(url), Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
			Alone: true,
		})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, role+":", err)
		return 1
	}
	return 0
}

// broker runs the embedded server, every write synced.
func broker(ctx context.Context, url, directory string) error {
	host, port, err := net.SplitHostPort(strings.TrimPrefix(url, "nats://"))
	if err != nil {
		return fmt.Errorf("read the broker's address: %w", err)
	}
	number, err := strconv.Atoi(port)
	if err != nil {
		return fmt.Errorf("read the broker's port: %w", err)
	}
	server, err := embedded.Start(embedded.Options{Dir: directory, Host: host, Port: number})
	if err != nil {
		return err
	}
	<-ctx.Done()
	return server.Shutdown()
}
