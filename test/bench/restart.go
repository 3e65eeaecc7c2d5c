package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/demo"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/connect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/credential"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/system"
	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/embedded"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
	"github.com/scaffoldwatch/scaffoldwatch/test/workload"
)

// restartTurns are the turns that a system has decided before it is killed.
const (
	restartSessions = 200
	restartTurns    = 60
)

// restarts kills a whole system with SIGKILL while turns arrive, starts it again and
// measures the time until the first interrupt is fired. The baseline is the same with no
// history.
func restarts(ctx context.Context, s scale) error {
	dir, err := os.MkdirTemp("", "scaffoldwatch-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	_, program, err := buildStarts(ctx, dir)
	if err != nil {
		return err
	}
	var baseline time.Duration
	for _, turns := range []int{0, s.of(restartTurns)} {
		c := &child{program: program, data: filepath.Join(dir, fmt.Sprint("data", turns)), keys: filepath.Join(dir, fmt.Sprint("keys", turns))}
		messages, err := c.fill(ctx, turns)
		if err != nil {
			return err
		}
		if err := c.crashed(ctx); err != nil {
			return err
		}
		alone, err := c.brokerAlone()
		if err != nil {
			return err
		}
		var took []time.Duration
		for round := range 3 {
			first, err := c.killed(ctx, round)
			if err != nil {
				return err
			}
			took = append(took, first)
		}
		if turns == 0 {
			baseline = took[len(took)-1]
			fmt.Printf("  nothing decided before (baseline): %s; the broker alone opens the files in %s\n", seconds(took), seconds([]time.Duration{alone}))
			continue
		}
		fmt.Printf("  %d turns of %d sessions, %d messages of decisions: %s, the last %.1f times the baseline (aim: at most 2 s); the broker alone opens the files in %s\n",
			turns*restartSessions, restartSessions, messages, seconds(took), took[len(took)-1].Seconds()/baseline.Seconds(), seconds([]time.Duration{alone}))
	}
	return nil
}

func seconds(list []time.Duration) string {
	var out []string
	for _, d := range list {
		out = append(out, fmt.Sprintf("%.2f s", d.Seconds()))
	}
	return strings.Join(out, ", ")
}

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
	broker, err := natsengine.Open(nc, connect.Topology(settings), natsengine.Keys{}, nil)
	if err != nil {
		return 0, err
	}
	templates, _, err := messages(workload.Make(workload.Mix(6, restartSessions, turns)))
	if err != nil {
		return 0, err
	}
	reader, err := broker.Reader(ctx, natsengine.ReaderOptions{Stage: "dispatcher", Partition: natsengine.AllPartitions})
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

// crashed starts the system and kills it while a session's turns arrive.
func (c *child) crashed(ctx context.Context) error {
	if err := c.start(ctx); err != nil {
		return err
	}
	c.crashes++
	return errors.Join(c.send(ctx, fmt.Sprintf("before-%d", c.crashes)), c.kill())
}

// brokerAlone returns how long the broker needs to open a copy of the files: after a kill
// it reads each stream as a whole.
func (c *child) brokerAlone() (time.Duration, error) {
	copied := c.data + "-copy"
	defer os.RemoveAll(copied)
	if err := os.CopyFS(copied, os.DirFS(c.data)); err != nil {
		return 0, fmt.Errorf("copy the streams: %w", err)
	}
	began := time.Now()
	broker, err := embedded.Start(embedded.Options{Dir: copied, Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
	if err != nil {
		return 0, err
	}
	took := time.Since(began)
	return took, broker.Shutdown()
}

// killed kills the system, starts it again and returns how long the first interrupt took.
func (c *child) killed(ctx context.Context, round int) (time.Duration, error) {
	if round > 0 {
		if err := c.crashed(ctx); err != nil {
			return 0, err
		}
	}
	began := time.Now()
	if err := c.start(ctx); err != nil {
		return 0, err
	}
	defer func() { _ = c.kill() }()
	session := fmt.Sprintf("after-%d", round)
	if err := c.send(ctx, session); err != nil {
		return 0, err
	}
	for {
		select {
		case line, open := <-c.interrupts:
			if !open {
				return 0, errors.New("the system ended before it fired an interrupt")
			}
			if strings.HasPrefix(line, session) {
				return time.Since(began), nil
			}
		case <-time.After(time.Minute):
			return 0, errors.New("no interrupt was fired within a minute")
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
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
			if strings.Contains(lines.Text(), "INTERRUPT B2") {
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
		time.Sleep(10 * time.Millisecond) // the streams are not there yet
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
