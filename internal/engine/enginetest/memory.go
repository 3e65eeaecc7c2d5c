// Package stagetest runs a stage without a broker: Memory is source and sink at
// once, with the failures a broker can show.
package enginetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"sync"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Failure says how a commit goes wrong.
type Failure int

// How a commit can go wrong.
const (
	None   Failure = iota
	Lost           // nothing was written
	Unsure         // it was written, but the answer was lost
)

// Memory is the past of a source and a sink. The zero value is not usable.
type Memory struct {
	// OnCommit decides the fate of the n-th commit, from 1; nil: all succeed.
	OnCommit func(n int) Failure
	// Endless keeps readings open at the end of the source.
	Endless bool

	mu         sync.Mutex
	changed    chan struct{}
	source     []engine.Record
	partitions []partition
	letters    map[string]engine.DeadLetter
	commits    int
}

type partition struct {
	fence     int
	position  engine.Position
	written   []engine.Message
	skips     []engine.Skip
	snapshots map[string]engine.Snapshot
}

// New is a memory of n partitions.
func New(n int) *Memory {
	m := &Memory{partitions: make([]partition, n), letters: map[string]engine.DeadLetter{}, changed: make(chan struct{})}
	for i := range m.partitions {
		m.partitions[i].snapshots = map[string]engine.Snapshot{}
	}
	return m
}

// Partition is where a group lives.
func (m *Memory) Partition(group string) int {
	sum := 0
	for _, b := range []byte(group) {
		sum = sum*31 + int(b)
	}
	return (sum & 0x7fffffff) % len(m.partitions)
}

// Append adds an event to the source and returns its sequence, from 1.
func (m *Memory) Append(ev events.Event) uint64 {
	return m.AppendRecord(engine.Record{Input: step.Input{Event: ev}})
}

// AppendRecord adds a record to the source; its group and position are set.
func (m *Memory) AppendRecord(record engine.Record) uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	if record.Group == "" {
		record.Group = record.Input.Event.Group()
	}
	record.Position = engine.Position{Sequence: uint64(len(m.source) + 1)}
	m.source = append(m.source, record)
	close(m.changed)
	m.changed = make(chan struct{})
	return record.Position.Sequence
}

// Written is what was committed in a partition.
func (m *Memory) Written(_ context.Context, n int) iter.Seq2[engine.Message, error] {
	m.mu.Lock()
	defer m.mu.Unlock()
	written := m.partitions[n].written
	return func(yield func(engine.Message, error) bool) {
		for _, message := range written {
			if !yield(message, nil) {
				return
			}
		}
	}
}

// Change edits a committed message, to make a recording that lies.
func (m *Memory) Change(partition, index int, edit func(*engine.Message)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	edit(&m.partitions[partition].written[index])
}

// Letters are the inputs that were passed over, by "stage sequence".
func (m *Memory) Letters() map[string]engine.DeadLetter {
	m.mu.Lock()
	defer m.mu.Unlock()
	letters := map[string]engine.DeadLetter{}
	for key, letter := range m.letters {
		letters[key] = letter
	}
	return letters
}

// Commits counts the commits that were tried.
func (m *Memory) Commits() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.commits
}

// Snapshots lists the committed snapshots of a partition by group.
func (m *Memory) Snapshots(n int) map[string]engine.Snapshot {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.partitions[n].snapshots
}

// SetSnapshot puts one there, as an older or newer program would have.
func (m *Memory) SetSnapshot(n int, snapshot engine.Snapshot) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.partitions[n].snapshots[snapshot.Group] = snapshot
}

// Position is that of a partition's last checkpoint.
func (m *Memory) Position(n int) engine.Position {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.partitions[n].position
}

// Read implements stage.Source.
func (m *Memory) Read(_ context.Context, n int, from engine.Position) (engine.Reading, error) {
	return &reading{memory: m, partition: n, at: from.Sequence}, nil
}

// Tail implements stage.Source.
func (m *Memory) Tail(_ context.Context, _ int, group string, after, through uint64) iter.Seq2[engine.Record, error] {
	m.mu.Lock()
	defer m.mu.Unlock()
	source := m.source
	return func(yield func(engine.Record, error) bool) {
		for _, record := range source[after:through] {
			if record.Group == group && !yield(record, nil) {
				return
			}
		}
	}
}

type reading struct {
	memory    *Memory
	partition int
	at        uint64
}

func (r *reading) Ready() (engine.Record, bool, error) {
	r.memory.mu.Lock()
	defer r.memory.mu.Unlock()
	for r.at < uint64(len(r.memory.source)) {
		record := r.memory.source[r.at]
		r.at++
		if r.memory.Partition(record.Group) == r.partition {
			return record, true, nil
		}
	}
	return engine.Record{}, false, nil
}

func (r *reading) Next(ctx context.Context) (engine.Record, error) {
	for {
		r.memory.mu.Lock()
		changed := r.memory.changed
		r.memory.mu.Unlock()
		if record, ok, err := r.Ready(); ok || err != nil {
			return record, err
		}
		if !r.memory.Endless {
			return engine.Record{}, io.EOF
		}
		select {
		case <-ctx.Done():
			return engine.Record{}, ctx.Err()
		case <-changed:
		}
	}
}

func (r *reading) Close() {}

// Open implements stage.Sink.
func (m *Memory) Open(_ context.Context, n int) (engine.Log, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p := m.partitions[n]
	return &log{memory: m, partition: n, fence: p.fence, position: p.position}, nil
}

type log struct {
	memory    *Memory
	partition int
	fence     int
	position  engine.Position
}

func (l *log) Position() engine.Position { return l.position }

func (l *log) Encode(group string, ev events.Event) (engine.Message, error) {
	return l.memory.Encode(l.partition, group, ev)
}

// Encode implements stage.Recording.
func (m *Memory) Encode(_ int, group string, ev events.Event) (engine.Message, error) {
	if ev.Group() != group {
		return engine.Message{}, fmt.Errorf("event of group %q in group %q", ev.Group(), group)
	}
	data, err := json.Marshal(ev.Data)
	if err != nil {
		return engine.Message{}, fmt.Errorf("encode %s: %w", ev.Type, err)
	}
	return engine.Message{Subject: string(ev.Type) + "." + group, Data: data, Header: map[string][]string{
		"ce-id": {ev.ID}, "ce-type": {string(ev.Type)},
		"ce-rulesversion": {ev.RulesVersion}, "ce-confighash": {ev.ConfigHash},
	}}, nil
}

func (l *log) Commit(_ context.Context, batch engine.Batch) error {
	m := l.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	m.commits++
	failure := None
	if m.OnCommit != nil {
		failure = m.OnCommit(m.commits)
	}
	p := &m.partitions[l.partition]
	switch {
	case failure == Lost:
		return errors.New("the commit was lost")
	case p.fence != l.fence:
		return engine.ErrFenced
	}
	p.fence++
	l.fence = p.fence
	p.position = batch.Position
	p.written = append(p.written, batch.Messages...)
	p.skips = append(p.skips, batch.Skips...)
	for _, snapshot := range batch.Snapshots {
		p.snapshots[snapshot.Group] = snapshot
	}
	if failure == Unsure {
		return errors.New("no answer to the commit")
	}
	return nil
}

func (l *log) Snapshot(_ context.Context, group string) (*engine.Snapshot, error) {
	l.memory.mu.Lock()
	defer l.memory.mu.Unlock()
	snapshot, ok := l.memory.partitions[l.partition].snapshots[group]
	if !ok {
		return nil, nil
	}
	return &snapshot, nil
}

func (l *log) Skipped(_ context.Context, group string) (map[uint64]string, error) {
	l.memory.mu.Lock()
	defer l.memory.mu.Unlock()
	skips := map[uint64]string{}
	for _, skip := range l.memory.partitions[l.partition].skips {
		if skip.Group == group {
			skips[skip.Sequence] = skip.Reason
		}
	}
	return skips, nil
}

func (l *log) Bury(_ context.Context, letter engine.DeadLetter) error {
	l.memory.mu.Lock()
	defer l.memory.mu.Unlock()
	l.memory.letters[fmt.Sprintf("%s %d", letter.Stage, letter.Sequence)] = letter
	return nil
}
