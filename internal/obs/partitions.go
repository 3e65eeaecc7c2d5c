package obs

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
)

// Partitions is the health of a stage: of all partitions that this process owns, not just of the last one
// to report. Its methods may be called concurrently.
type Partitions struct {
	mu      sync.Mutex
	failing map[int]failure
	report  func(error)
}

// failure is the reason why a partition does not work. A failure to write is not over because reading
// starts again: only a commit shows that.
type failure struct {
	err     error
	writing bool
}

// NewPartitions calls report with the health of the partitions whenever it changes: nil while all work.
func NewPartitions(report func(error)) *Partitions {
	return &Partitions{failing: map[int]failure{}, report: report}
}

// Committed records the result of a commit. It is not a failure if another owner was faster.
func (p *Partitions) Committed(partition int, err error) {
	switch {
	case err == nil:
		p.clear(partition, true)
	case !errors.Is(err, engine.ErrFenced):
		p.set(partition, failure{err, true})
	}
}

// Restarting records why an attempt at a partition ended.
func (p *Partitions) Restarting(partition int, err error) {
	if err == nil || errors.Is(err, engine.ErrFenced) {
		return
	}
	p.mu.Lock()
	known := p.failing[partition]
	p.mu.Unlock()
	p.set(partition, failure{err, known.writing})
}

// Started records that a partition is read again.
func (p *Partitions) Started(partition int) { p.clear(partition, false) }

// UpToDate records that a partition has no pending input, so that nothing remains to be written, or that
// another process owns it.
func (p *Partitions) UpToDate(partition int) { p.clear(partition, true) }

func (p *Partitions) set(partition int, f failure) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.failing[partition] = f
	p.publish()
}

func (p *Partitions) clear(partition int, writing bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if f, failing := p.failing[partition]; failing && f.writing && !writing {
		return
	}
	delete(p.failing, partition)
	p.publish()
}

// publish reports the failure of the lowest partition, and how many fail.
func (p *Partitions) publish() {
	if len(p.failing) == 0 {
		p.report(nil)
		return
	}
	numbers := slices.Sorted(maps.Keys(p.failing))
	p.report(fmt.Errorf("%d partitions fail; partition %d: %w", len(numbers), numbers[0], p.failing[numbers[0]].err))
}
