package trial

import (
	"context"
	"os"
	"sync"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/memory"
)

// Limits keep a fold within its limits of memory and rate (AU-22).
type Limits struct {
	bounds memory.Bounds
	spill  *spill
	rate   float64
	began  time.Time
	turns  int
}

// groupsHeld is how many sessions may keep inputs that no snapshot covers.
const groupsHeld = 32

// NewLimits returns limits of a fold: its memory in bytes, and turns per second, 0 for no limit.
func NewLimits(memoryBytes uint64, rate float64) *Limits {
	saved := &spill{}
	return &Limits{
		spill: saved, rate: rate,
		bounds: memory.Bounds{Memory: engine.NewMemory(int(memoryBytes / 4)), Groups: groupsHeld, Saved: saved}, // a quarter is for states
	}
}

// turn waits until the rate allows another turn.
func (l *Limits) turn(ctx context.Context) error {
	if l.rate <= 0 {
		return ctx.Err()
	}
	if l.turns == 0 {
		l.began = time.Now()
	}
	due := l.began.Add(time.Duration(float64(l.turns) / l.rate * float64(time.Second)))
	l.turns++
	wait := time.NewTimer(time.Until(due))
	defer wait.Stop()
	select {
	case <-wait.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close removes what was saved.
func (l *Limits) Close() { l.spill.close() }

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
