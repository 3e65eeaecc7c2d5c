// Package system holds the commands that run and check an installation.
package system

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	agents "github.com/scaffoldwatch/scaffoldwatch/internal/agent/all"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/install"
	"github.com/scaffoldwatch/scaffoldwatch/internal/buildinfo"
	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/deployment"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli/heap"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/guard/alone"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/hook/hookclient"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/hook/hooktoken"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/link"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/link/credential"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service/httpapi"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service/system"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/embedded"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/internal/obs"
)

// Up runs NATS and all services in one process.
type Up struct {
	Data     string `help:"Data directory. Default: scaffoldwatch in the user's data directory." type:"path" placeholder:"DIR"`
	Listen   string `help:"host:port of the embedded broker; none makes it reachable only from this process." default:"127.0.0.1:4222"`
	HTTP     string `name:"http" help:"host:port of the HTTP interface; none disables it." placeholder:"127.0.0.1:8420"`
	Demo     bool   `help:"Play the sample fleet in a temporary directory, print its reports and stop."`
	LazySync bool   `help:"Do not sync every write to disk: faster, but a power failure loses acknowledged data."`
	Quiet    bool   `short:"q" help:"Do not show the live feed."`
	LogLevel string `help:"Log level: debug, info, warn or error." placeholder:"LEVEL"`
	Ready    bool   `help:"Check whether the system that runs here with these settings is ready: exit code 0 or 1."`
}

// Help gives examples.
func (Up) Help() string {
	return `Runs an embedded NATS server with JetStream, all four services and the HTTP interface in
one process, and shows decisions as they are made. Ctrl-C drains and stops.

Examples:
  scaffoldwatch up
  scaffoldwatch up --data /var/lib/scaffoldwatch --listen 127.0.0.1:4333 --http 127.0.0.1:8421
  scaffoldwatch up --demo`
}

// Run starts the system and waits until it is stopped.
func (c *Up) Run(r *cli.Call) error {
	heap.Usual()
	settings, err := c.settings(r)
	if err != nil {
		return cli.Usage(err)
	}
	if c.Ready {
		return httpapi.Ready(r, httpapi.Options{Address: settings.HTTP.Address, TLSCert: settings.HTTP.TLSCert})
	}
	data, cleanup, err := c.directory()
	if err != nil {
		return err
	}
	defer cleanup()
	log, err := obs.Logger(r.Stderr, settings.Log.Level, settings.Log.Format, "up")
	if err != nil {
		return cli.Usage(err)
	}
	if c.Demo {
		settings.Hooks.Tokens = demoTokens(data)
	} else if folder := hookclient.Folder(); settings.Hooks.Spool == "" && folder != "" {
		settings.Hooks.Spool = alone.SpoolOf(folder).Folder
	}
	if err := hookTokens(&settings); err != nil {
		return err
	}
	if settings.Audit.Anchors == "" {
		settings.Audit.Anchors = filepath.Join(data, "anchors")
	}
	if settings.Reports.Database == "" {
		settings.Reports.Database = filepath.Join(data, "reports.db")
	}
	keys, users, err := c.users(settings)
	if err != nil {
		return err
	}
	// The services still drain after the context of the signal has ended.
	system, err := system.Start(context.WithoutCancel(r.Context), system.Options{
		Config: settings, Log: log, Data: data, Listen: c.listen(), LazySync: c.LazySync, Users: users,
		Answer: c.key(r), By: cli.Author{}.Name(),
	})
	if err != nil {
		return err
	}
	c.banner(r, system, data, keys)
	err = c.serve(r, system, settings, data)
	return errors.Join(err, system.Stop())
}

// serve shows the feed, or plays the demo, until the system stops.
func (c *Up) serve(r *cli.Call, system *system.System, settings config.Config, data string) error {
	nc, err := nats.Connect(r, nats.ConnectOptions{Server: system.Server(), Name: "feed"})
	if err != nil {
		return err
	}
	defer nc.Close()
	keys, err := link.Keys(settings.Security)
	if err != nil {
		return err
	}
	broker, err := nats.Open(nc, link.Topology(settings), keys, nil)
	if err != nil {
		return err
	}
	if c.Demo {
		return c.demo(r, system, settings, broker, nc, data)
	}
	ctx, stop := context.WithCancel(r)
	defer stop()
	go func() {
		<-system.Done()
		stop()
	}()
	if c.Quiet {
		<-ctx.Done()
		return nil
	}
	show, err := cli.ShowFeed(r, settings.Rules)
	if err != nil {
		return err
	}
	err = cli.Follow(ctx, broker, read.Options{Stage: "dispatcher", Partition: nats.AllPartitions, Latest: true}, show)
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// demo plays the sample fleet, and the sessions of a checkout if there are hooks.
func (c *Up) demo(
	r *cli.Call, system *system.System, settings config.Config, broker *nats.Broker, nc *nats.Conn, data string,
) error {
	if system.HTTP() == "" {
		return playDemo(r, broker, nc, settings, nil)
	}
	beside, err := newCheckout(r, data, system.HTTP())
	if err != nil {
		return err
	}
	return playDemo(r, broker, nc, settings, beside)
}

// settings returns the settings: flags take precedence over the environment and the file, and those over
// defaults that suit a person at a terminal.
func (c *Up) settings(r *cli.Call) (config.Config, error) {
	prefer := map[string]string{"log.level": "warn", "http.address": install.DefaultAddress, "rules": deployment.OwnRules()}
	if r.Theme.Interactive {
		prefer["log.format"] = "text"
	}
	flags := map[string]string{}
	switch {
	case c.HTTP == "none":
		flags["http.address"] = ""
	case c.Demo && c.HTTP == "":
		flags["http.address"] = "127.0.0.1:0"
	case c.HTTP != "":
		flags["http.address"] = c.HTTP
	}
	if c.LogLevel != "" {
		flags["log.level"] = c.LogLevel
	}
	return config.Load(config.Sources{Defaults: prefer, File: r.Config, Environ: os.Environ(), Flags: flags})
}

// hookTokens creates missing tokens for the agents' hooks.
func hookTokens(settings *config.Config) error {
	settings.Hooks.Tokens = cmp.Or(settings.Hooks.Tokens, hooktoken.Folder(os.Getenv))
	if settings.Hooks.Tokens == "" || settings.HTTP.Address == "" {
		return nil
	}
	for _, agent := range agents.Settings().Names() {
		if _, err := hooktoken.Make(settings.Hooks.Tokens, agent); err != nil {
			return fmt.Errorf("%w; hooks.tokens names another folder", err)
		}
	}
	return nil
}

// users returns who may connect, by the keys in a directory; a broker that does not listen needs no users.
func (c *Up) users(settings config.Config) (keys string, list []embedded.User, err error) {
	if c.listen() == "" {
		return "", nil, nil
	}
	if keys, err = credential.Directory(settings.Security.Credentials); err == nil {
		list, err = system.Users(keys)
	}
	return keys, list, err
}

func (c *Up) listen() string {
	if c.Demo || c.Listen == "none" {
		return ""
	}
	return c.Listen
}

// directory returns the directory of the streams. The demo has a temporary one of its own, so that it never
// touches a system in use.
func (c *Up) directory() (string, func(), error) {
	if !c.Demo {
		data, err := c.Data, error(nil)
		if data == "" {
			data, err = system.DataFolder(os.Getenv)
		}
		if err == nil {
			err = system.KeepFromGit(data)
		}
		return data, func() {}, err
	}
	directory, err := os.MkdirTemp("", "scaffoldwatch-demo-")
	if err != nil {
		return "", nil, fmt.Errorf("create the demo's directory: %w", err)
	}
	return directory, func() { _ = os.RemoveAll(directory) }, nil
}

func (c *Up) banner(r *cli.Call, started *system.System, data, keys string) {
	t := r.Theme
	fmt.Fprintln(r.Stdout, t.Title.Render("scaffoldwatch")+t.Faint.Render(" "+buildinfo.Version()))
	if c.Demo {
		fmt.Fprintln(r.Stdout, t.Faint.Render("a sample fleet through an embedded NATS JetStream; Ctrl-C stops"))
		fmt.Fprintln(r.Stdout)
		return
	}
	row := func(name, value string) { fmt.Fprintf(r.Stdout, "  %-8s %s\n", name, value) }
	row("data", data)
	if old := system.Earlier(); old != "" && c.Data == "" {
		row("", "an earlier version kept its data here; `scaffoldwatch up --data "+old+"` uses it")
	}
	if started.URL() != "" {
		row("NATS", started.URL())
		row("keys", keys)
		row("", "publisher.nk is for your programs; keep operator.nk from agents")
	}
	if started.HTTP() != "" {
		address := "http://" + started.HTTP() + "/"
		if key := started.Answer(); key != "" {
			address += "?key=" + key
		}
		row("page", address)
		if row("", "who needs you, with the answers"); started.Answer() == "" {
			row("", "it only shows: the key to answer on it is printed on a terminal alone;")
			row("", "answer by the command in each entry, or run `up` in one")
		}
		row("", "for programs: /readyz, /metrics, /v1/sessions")
	}
	row("stop", "Ctrl-C")
	fmt.Fprintln(r.Stdout)
}

// key returns the secret with which a person can answer on the page. It is printed only on a terminal,
// where no agent can read it, and is not stored (ADR 38).
func (c *Up) key(r *cli.Call) string {
	if !r.Theme.Interactive {
		return ""
	}
	return rand.Text()
}

// demoLength is how long the sample fleet plays.
const demoLength = 8 * time.Second
