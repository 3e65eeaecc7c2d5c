package audit

import (
	"context"
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli/heap"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/memory"
)

// limits keeps a fold within its limits of memory and rate (AU-22).
type limits struct {
	bounds memory.Bounds
	spill  *spill
	rate   float64
	began  time.Time
	turns  int
}

// groupsHeld is how many sessions may keep inputs that no snapshot covers.
const groupsHeld = 32

// leastMemory is what a fold needs at the least.
const leastMemory = 128 << 20

func newLimits(size string, rate float64) (*limits, error) {
	bytes, err := humanize.ParseBytes(size)
	if err != nil || bytes > math.MaxInt32*1024 {
		return nil, fmt.Errorf("--memory %q: want a size such as 512MiB or 2GB", size)
	}
	if bytes < leastMemory {
		return nil, fmt.Errorf("--memory %s: at least %d MiB are needed", size, leastMemory>>20)
	}
	if rate < 0 {
		return nil, fmt.Errorf("--rate %g: want 0 or more", rate)
	}
	debug.SetMemoryLimit(int64(bytes))
	heap.Raise(bytes / 2) // a quarter is for states
	saved := &spill{}
	return &limits{
		spill: saved, rate: rate,
		bounds: memory.Bounds{Memory: engine.NewMemory(int(bytes / 4)), Groups: groupsHeld, Saved: saved},
	}, nil
}

// turn waits until the rate allows another turn.
func (l *limits) turn(ctx context.Context) error {
	if l.rate <= 0 {
		return ctx.Err()
	}
	if l.turns == 0 {
		l.began = now()
	}
	due := l.began.Add(time.Duration(float64(l.turns) / l.rate * float64(time.Second)))
	l.turns++
	wait := time.NewTimer(due.Sub(now()))
	defer wait.Stop()
	select {
	case <-wait.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (l *limits) close() { l.spill.close() }

// spill is a temporary file for the states of silent sessions. Other users cannot read it, and it has no
// name where the system allows that.
type spill struct {
	mu   sync.Mutex
	file *os.File
	end  int64
}

// Put implements memory.Saved.
func (s *spill) Put(data []byte) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil {
		file, err := os.CreateTemp("", "scaffoldwatch-backtest-*")
		if err != nil {
			return 0, err
		}
		s.file = file
		_ = os.Remove(file.Name()) // it is still open; where that fails, close removes it
	}
	place := s.end
	if _, err := s.file.WriteAt(data, place); err != nil {
		return 0, err
	}
	s.end += int64(len(data))
	return place, nil
}

// Get implements memory.Saved.
func (s *spill) Get(place int64, size int) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	data := make([]byte, size)
	_, err := s.file.ReadAt(data, place)
	return data, err
}

func (s *spill) close() {
	if s.file != nil {
		_ = s.file.Close()
		_ = os.Remove(s.file.Name())
	}
}

// since parses a number of days, a duration, a date or a time.
func since(text string, now time.Time) (time.Time, error) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.ParseFloat(days, 64); err == nil && n > 0 {
			return now.Add(-time.Duration(n * 24 * float64(time.Hour))), nil
		}
	}
	if d, err := time.ParseDuration(text); err == nil && d > 0 {
		return now.Add(-d), nil
	}
	for _, layout := range []string{time.RFC3339, time.DateTime, time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("--since %q: want 30d, 12h, 2026-11-01 or 2026-11-01T08:00:00Z", text)
}
