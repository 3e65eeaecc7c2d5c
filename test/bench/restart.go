package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/embedded"
)

// restartTurns is the number of turns that a system has decided before it is killed.
const (
	restartSessions = 200
	restartTurns    = 285
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

// crashed starts the system and kills it while a session's turns arrive.
func (c *child) crashed(ctx context.Context) error {
	if err := c.start(ctx); err != nil {
		return err
	}
	c.crashes++
	return errors.Join(c.send(ctx, fmt.Sprintf("before-%d", c.crashes)), c.kill())
}

// brokerAlone returns how long the broker takes to open a copy of the files: after a kill it reads each
// stream completely.
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
