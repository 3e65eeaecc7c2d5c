package memory

import (
	"context"
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Open implements [engine.Sink].
func (s *Stream) Open(_ context.Context, partition int) (engine.Log, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := &s.partitions[partition]
	return &log{stream: s, partition: partition, fence: p.fence, position: p.position}, nil
}

// log writes one partition of a stream for one owner.
type log struct {
	stream    *Stream
	partition int
	fence     int
	position  engine.Position
}

// Position implements [engine.Log].
func (l *log) Position() engine.Position { return l.position }

// Encode implements [engine.Log].
func (l *log) Encode(group string, ev events.Event) (engine.Message, error) {
	return l.stream.Encode(l.partition, group, ev)
}

// Commit implements [engine.Log]. It returns engine.ErrFenced if another owner
// has committed since this one opened the partition or last committed.
func (l *log) Commit(_ context.Context, batch engine.Batch) error {
	records := make([]engine.Record, len(batch.Messages))
	for i, m := range batch.Messages {
		var err error
		if records[i], err = read(m); err != nil {
			return err
		}
	}
	s := l.stream
	s.mu.Lock()
	defer s.mu.Unlock()
	p := &s.partitions[l.partition]
	if p.fence != l.fence {
		return engine.ErrFenced
	}
	p.fence++
	l.fence, l.position = p.fence, batch.Position
	p.position = batch.Position
	p.written = append(p.written, batch.Messages...)
	p.skips = append(p.skips, batch.Skips...)
	for _, snapshot := range batch.Snapshots {
		p.snapshots[snapshot.Group] = snapshot
	}
	for _, record := range records {
		s.append(record)
	}
	s.announce()
	return nil
}

// read returns the record that a later stage reads of a committed message.
func read(m engine.Message) (engine.Record, error) {
	ev, err := events.DecodeMessage(m.Header, m.Data)
	if err != nil {
		return engine.Record{}, fmt.Errorf("read back %s: %w", m.Subject, err)
	}
	return engine.Record{Group: ev.Group(), Input: step.Input{Event: ev}, Data: m.Data}, nil
}

// Snapshot implements [engine.Log].
func (l *log) Snapshot(_ context.Context, group string) (*engine.Snapshot, error) {
	l.stream.mu.Lock()
	defer l.stream.mu.Unlock()
	snapshot, ok := l.stream.partitions[l.partition].snapshots[group]
	if !ok {
		return nil, nil
	}
	return &snapshot, nil
}

// Skipped implements [engine.Log].
func (l *log) Skipped(_ context.Context, group string) (map[uint64]string, error) {
	l.stream.mu.Lock()
	defer l.stream.mu.Unlock()
	skips := map[uint64]string{}
	for _, skip := range l.stream.partitions[l.partition].skips {
		if skip.Group == group {
			skips[skip.Sequence] = skip.Reason
		}
	}
	return skips, nil
}

// DeadLetter implements [engine.Log].
func (l *log) DeadLetter(_ context.Context, letter engine.DeadLetter) error {
	l.stream.mu.Lock()
	defer l.stream.mu.Unlock()
	l.stream.letters[fmt.Sprintf("%s %d", letter.Stage, letter.Sequence)] = letter
	return nil
}

// Options implements [engine.Log]: it has no limit, and states nothing that ages.
func (l *log) Options() engine.LogOptions { return engine.LogOptions{} }
