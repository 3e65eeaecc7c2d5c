package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/link"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service/system"
	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/test/workload"
)

// soakSessions is the number of sessions of a soak, and soakLooks how often memory is measured.
const (
	soakSessions = 500
	soakTurns    = 48
	soakLooks    = 6
	soakState    = 32 << 20 // the smaller limit of states
)

// soak shows what the memory of a whole system depends on while its sessions grow: once with the default
// limit of states, once with a small one.
func soak(ctx context.Context, s scale) error {
	for _, limit := range []int64{0, soakState} {
		if err := soaked(ctx, s, limit); err != nil {
			return err
		}
	}
	return nil
}

func soaked(ctx context.Context, s scale, limit int64) error {
	dir, err := os.MkdirTemp("", "scaffoldwatch-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	settings := config.Default()
	settings.HTTP.Address, settings.Stage.StateBytes = "", limit
	settings.Reports.Database = filepath.Join(dir, "reports.db")
	running, err := system.Start(ctx, system.Options{
		Config: settings, Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Data: dir, LazySync: true,
	})
	if err != nil {
		return err
	}
	defer func() { _ = running.Stop() }()
	nc, err := natsengine.Connect(ctx, natsengine.ConnectOptions{Server: running.Server(), Name: "bench"})
	if err != nil {
		return err
	}
	defer nc.Close()
	js, err := natsengine.JetStream(nc)
	if err != nil {
		return err
	}
	broker, err := natsengine.Open(nc, link.Topology(settings), natsengine.Keys{}, nil)
	if err != nil {
		return err
	}
	reader, err := read.Open(ctx, broker, read.Options{Stage: "dispatcher", Partition: natsengine.AllPartitions})
	if err != nil {
		return err
	}
	defer reader.Close()
	sessions, rounds := s.of(soakSessions), soakTurns/soakLooks
	templates, _, err := messages(workload.Make(workload.Mix(6, min(sessions, fewSessions), soakTurns)))
	if err != nil {
		return err
	}
	said := "the default limit of states"
	if limit > 0 {
		said = fmt.Sprintf("a limit of states of %d MiB", limit>>20)
	}
	fmt.Printf("  %d sessions, %s; live heap after a collection:\n", sessions, said)
	began := time.Now()
	for look := range soakLooks {
		if err := (fleet{templates, 0, sessions}).rounds(ctx, js, reader, look*rounds, rounds); err != nil {
			return err
		}
		fmt.Printf("    %6d turns, %3.0f s: %s\n", sessions*rounds*(look+1), time.Since(began).Seconds(), holders())
	}
	return nil
}

// rooms names the owners of memory by the names of their functions; the first one on a stack owns it.
var rooms = []struct{ name, path string }{
	{"broker", "nats-server/v2/server"},
	{"read model", "scaffoldwatch/internal/view/"},
	{"sessions' states", "scaffoldwatch/internal/session/"},
	{"sessions' states", "scaffoldwatch/internal/run/"},
	{"packed states", "scaffoldwatch/internal/engine."},
	{"reading and writing", "scaffoldwatch/internal/engine/"},
	{"rules and grammars", "scaffoldwatch/"},
}

// holders returns the size of the live heap, and who owns it, as sampled by the runtime.
func holders() string {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	records := make([]runtime.MemProfileRecord, 1<<14)
	n, _ := runtime.MemProfile(records, false)
	held, sampled := map[string]int64{}, int64(0)
	for _, r := range records[:min(n, len(records))] {
		held[room(r.Stack())] += r.InUseBytes()
		sampled += r.InUseBytes()
	}
	names := make([]string, 0, len(held))
	for name := range held {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return int(held[b] - held[a]) })
	parts := make([]string, 0, len(names))
	for _, name := range names {
		if share := float64(held[name]) / float64(max(sampled, 1)); share >= 0.01 {
			parts = append(parts, fmt.Sprintf("%s %.0f%%", name, 100*share))
		}
	}
	return fmt.Sprintf("%d MB, of the system %d MB: %s",
		stats.HeapAlloc>>20, (stats.Sys-stats.HeapReleased)>>20, strings.Join(parts, ", "))
}

func room(stack []uintptr) string {
	frames := runtime.CallersFrames(stack)
	for {
		frame, more := frames.Next()
		for _, r := range rooms {
			if strings.Contains(frame.Function, r.path) {
				return r.name
			}
		}
		if !more {
			return "other"
		}
	}
}
