package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/demo"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/link"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/link/credential"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service/system"
	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
	"github.com/scaffoldwatch/scaffoldwatch/test/workload"
)

// child is a system in a process of its own.
type child struct {
	program, data, keys, address string
	process                      *exec.Cmd
	crashes                      int
	interrupts                   chan string
}

// fill has turns decided, and returns how many messages DECISIONS holds.
func (c *child) fill(ctx context.Context, turns int) (uint64, error) {
	if turns == 0 {
		return 0, nil
	}
	settings := config.Default()
	settings.HTTP.Address = ""
	system, err := system.Start(ctx, system.Options{Config: settings, Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Data: c.data, LazySync: true})
	if err != nil {
		return 0, err
	}
	defer func() { _ = system.Stop() }()
	nc, err := natsengine.Connect(ctx, natsengine.ConnectOptions{Server: system.Server(), Name: "bench"})
	if err != nil {
		return 0, err
	}
	defer nc.Close()
	js, err := natsengine.JetStream(nc)
	if err != nil {
		return 0, err
	}
	broker, err := natsengine.Open(nc, link.Topology(settings), natsengine.Keys{}, nil)
	if err != nil {
		return 0, err
	}
	templates, _, err := messages(workload.Make(workload.Mix(6, restartSessions, turns)))
	if err != nil {
		return 0, err
	}
	reader, err := read.Open(ctx, broker, read.Options{Stage: "dispatcher", Partition: natsengine.AllPartitions})
	if err != nil {
		return 0, err
	}
	defer reader.Close()
	if err := (fleet{templates, 0, restartSessions}).rounds(ctx, js, reader, 0, turns); err != nil {
		return 0, err
	}
	stream, err := js.Stream(ctx, "DECISIONS")
	if err != nil {
		return 0, err
	}
	info, err := stream.Info(ctx)
	if err != nil {
		return 0, err
	}
	return info.State.Msgs, nil
}

func (c *child) start(ctx context.Context) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("find a free port: %w", err)
	}
	c.address = l.Addr().String()
	_ = l.Close()
	c.process = exec.CommandContext(ctx, c.program, "up", "--data", c.data, "--listen", c.address, "--http", "none")
	c.process.Env = append(os.Environ(), "SCAFFOLDWATCH_SECURITY_CREDENTIALS="+c.keys)
	out, err := c.process.StdoutPipe()
	if err != nil {
		return err
	}
	if err := c.process.Start(); err != nil {
		return fmt.Errorf("start the system: %w", err)
	}
	found := make(chan string, 64)
	c.interrupts = found
	go func() {
		defer close(found)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if strings.Contains(lines.Text(), ", B2") {
				found <- lines.Text()
			}
		}
	}()
	return nil
}

func (c *child) kill() error {
	if err := c.process.Process.Kill(); err != nil {
		return fmt.Errorf("kill the system: %w", err)
	}
	_ = c.process.Wait()
	return nil
}

// send publishes a session of the sample fleet that is interrupted, under another name.
func (c *child) send(ctx context.Context, session string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	fleet, err := demo.Sessions(time.Now())
	if err != nil {
		return err
	}
	if err := c.listens(ctx); err != nil {
		return err
	}
	nc, err := natsengine.Connect(ctx, natsengine.ConnectOptions{URL: "nats://" + c.address, Name: "publisher", Creds: credential.File(c.keys, credential.Publisher)})
	if err != nil {
		return err
	}
	defer nc.Close()
	js, err := natsengine.JetStream(nc)
	if err != nil {
		return err
	}
	for _, list := range fleet {
		if list[0].Subject != "user-search" {
			continue
		}
		for _, e := range list[:len(list)-1] {
			if err := renamed(ctx, js, e, session); err != nil {
				return err
			}
		}
	}
	return nil
}

func renamed(ctx context.Context, js jetstream.JetStream, e events.Event, session string) error {
	lists, _, err := messages(workload.Work{Sessions: [][]events.Event{{e}}})
	if err != nil {
		return err
	}
	old, err := subjects.PublishedSubject(e)
	if err != nil {
		return err
	}
	m := copyTo(lists[0][0], old[strings.LastIndexByte(old, '.')+1:], session)
	for {
		if _, err = js.PublishMsg(ctx, m); err == nil || ctx.Err() != nil {
			return err
		}
		time.Sleep(10 * time.Millisecond) // the streams do not exist yet
	}
}

// listens waits until the broker does; the keys are made before.
func (c *child) listens(ctx context.Context) error {
	for {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", c.address)
		if err == nil {
			return conn.Close()
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for the broker: %w", err)
		case <-time.After(5 * time.Millisecond):
		}
	}
}
