package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/connect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
)

// patience is how long a command waits for a broker that does not answer.
const patience = 3 * time.Second

// connection are the flags of commands that talk to a running system.
type connection struct {
	Server string `help:"NATS server URL." placeholder:"nats://127.0.0.1:4222"`
}

// loadConfig reads file and environment below the given flags.
func loadConfig(path string, flags map[string]string) (config.Config, error) {
	return config.Load(config.Sources{File: path, Environ: os.Environ(), Flags: flags})
}

// settings are those of file and environment with the address that was given.
func (c connection) settings(r *run) (config.Config, error) {
	flags := map[string]string{}
	if c.Server != "" {
		flags["nats.url"] = c.Server
	}
	settings, err := loadConfig(r.config, flags)
	if err != nil {
		return settings, usageError{err}
	}
	return settings, nil
}

// open connects to the running system.
func (c connection) open(r *run) (*nats.Broker, *nats.Conn, error) {
	settings, err := c.settings(r)
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithTimeout(r, patience)
	defer cancel()
	nc, err := nats.Connect(ctx, connect.Options(settings, connectionName(settings.NATS.User)))
	if err != nil {
		return nil, nil, fmt.Errorf("%w\nis a system running? start one with `scaffoldwatch up`, or name its address with --server", err)
	}
	keys, err := connect.Keys(settings.Security)
	if err != nil {
		nc.Close()
		return nil, nil, usageError{err}
	}
	broker, err := nats.Open(nc, connect.Topology(settings), keys, nil)
	if err != nil {
		nc.Close()
		return nil, nil, err
	}
	return broker, nc, nil
}

// connectionName keeps the replies of users apart: the inbox carries the name,
// and permissions hold each user to an inbox of their own (EV-10).
func connectionName(user string) string {
	if user == "" {
		return "cli"
	}
	return "cli_" + user
}
