package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/secrets/secretstest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service/system"
)

// hookAgents is how many agents call their hooks at the same time.
const hookAgents = 4

// hookCalls measures what agents wait for their hooks on a whole running system,
// every write synced: each agent's responses are a message, a tool and the end of
// its batch, one in ten with a secret. The baseline is a request that does nothing.
func hookCalls(ctx context.Context, s scale) error {
	dir, err := os.MkdirTemp("", "scaffoldwatch-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	settings := config.Default()
	system, err := system.Start(ctx, system.Options{Config: settings, Data: dir, Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
	if err != nil {
		return err
	}
	defer func() { _ = system.Stop() }()
	b := &hookBench{base: "http://" + system.HTTP(), took: map[string][]time.Duration{}}
	for b.get("/readyz") != http.StatusOK {
		time.Sleep(20 * time.Millisecond)
	}
	group, _ := errgroup.WithContext(ctx)
	done := make(chan struct{})
	for agent := range hookAgents {
		group.Go(func() error { return b.work(fmt.Sprint("bench-", agent), uint64(agent), s.of(150)) })
	}
	go b.idle(done)
	err = group.Wait()
	close(done)
	if err != nil {
		return err
	}
	fmt.Printf("  a request that does nothing (baseline): p50 %.1f ms, p99 %.1f ms\n", ms(b.took["livez"], 50), ms(b.took["livez"], 99))
	for _, name := range []string{"MessageDisplay", "PreToolUse", "PostToolUse", "PostToolBatch"} {
		fmt.Printf("  %-14s p50 %.1f ms, p99 %.1f ms (%d calls)\n", name, ms(b.took[name], 50), ms(b.took[name], 99), len(b.took[name]))
	}
	fmt.Printf("  all hooks      p50 %.1f ms, p99 %.1f ms; %d of %d secrets answered in the reply to their own batch, %d later\n",
		ms(b.took["all"], 50), ms(b.took["all"], 99), b.atOnce, b.planted, b.later)
	return nil
}

type hookBench struct {
	base string

	mu                     sync.Mutex
	took                   map[string][]time.Duration
	planted, atOnce, later int
}

func (b *hookBench) note(name string, took time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.took[name] = append(b.took[name], took)
}

// idle requests nothing while the agents work, so that the machine's own delays show.
func (b *hookBench) idle(done chan struct{}) {
	for {
		select {
		case <-done:
			return
		case <-time.After(10 * time.Millisecond):
		}
		began := time.Now()
		b.get("/livez")
		b.note("livez", time.Since(began))
	}
}

func (b *hookBench) get(path string) int {
	r, err := http.Get(b.base + path)
	if err != nil {
		return 0
	}
	_, _ = io.Copy(io.Discard, r.Body)
	_ = r.Body.Close()
	return r.StatusCode
}

// sessionLength is in responses: an agent that ignores one interrupt after the
// other would be halted (RW-35).
const sessionLength = 30

// work is one agent at work, with a pause between its hooks as a model needs it.
func (b *hookBench) work(agent string, seed uint64, responses int) error {
	g := secretstest.New(seed)
	for n := range responses {
		session := fmt.Sprintf("%s-%d", agent, n/sessionLength)
		id := fmt.Sprint("t", n)
		content, secret := g.Text(2000), n%10 == 5
		if secret {
			content += fmt.Sprintf("\ntoken = %q\n", g.Provider("github"))
		}
		tool := map[string]any{"tool_name": "Write", "tool_use_id": id, "tool_input": map[string]any{"file_path": fmt.Sprintf("f%d.py", n), "content": content}}
		done := map[string]any{"tool_response": map[string]any{"type": "create", "filePath": fmt.Sprintf("f%d.py", n), "content": content}}
		for k, v := range tool {
			done[k] = v
		}
		_, err := b.hook(session, "MessageDisplay", map[string]any{"message_id": id, "index": 0, "final": true, "delta": g.Text(300)})
		for _, step := range []struct {
			name string
			body map[string]any
		}{{"PreToolUse", tool}, {"PostToolUse", done}, {"PostToolBatch", map[string]any{"tool_calls": []any{done}}}} {
			var reply string
			if err == nil {
				reply, err = b.hook(session, step.name, step.body)
			}
			b.count(step.name, secret, strings.Contains(reply, "INTERRUPT"))
		}
		if err != nil {
			return err
		}
		time.Sleep(40 * time.Millisecond)
	}
	return nil
}

func (b *hookBench) count(name string, secret, said bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if secret && name == "PreToolUse" {
		b.planted++
	}
	switch {
	case said && secret && name == "PostToolBatch":
		b.atOnce++
	case said:
		b.later++
	}
}

func (b *hookBench) hook(session, name string, body map[string]any) (string, error) {
	whole := map[string]any{"session_id": session, "hook_event_name": name, "cwd": "/work"}
	for k, v := range body {
		whole[k] = v
	}
	data, err := json.Marshal(whole)
	if err != nil {
		return "", err
	}
	began := time.Now()
	r, err := http.Post(b.base+"/v1/hooks/claude-code", "application/json", bytes.NewReader(data))
	if err != nil {
		return "", err
	}
	reply, err := io.ReadAll(r.Body)
	_ = r.Body.Close()
	took := time.Since(began)
	b.note(name, took)
	b.note("all", took)
	return string(reply), err
}
