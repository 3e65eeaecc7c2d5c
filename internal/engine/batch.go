package engine

import (
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// manyIdle is how many positions without input are worth a commit of their own.
const manyIdle = 500

// pending is the batch being folded.
type pending struct {
	Batch
	inputs, idle int
	bytes        int
	since        time.Time      // when its first input was folded
	waited       time.Duration  // since then: states were rebuilt, the broker stored dead letters
	oldest       time.Time      // when its first input was recorded
	derived      []events.Event // for a Listener
}

func (p *pending) reset(at Position) { *p = pending{Batch: Batch{Position: at}} }

func (p *pending) count() int { return len(p.Messages) + len(p.Skips) + len(p.Snapshots) }

// worthCommitting reports whether the batch holds anything that should not wait.
func (p *pending) worthCommitting() bool { return p.inputs > 0 || p.count() > 0 || p.idle >= manyIdle }

// fits reports whether there is room for an input's messages and for a snapshot that it may
// make due.
func (p *pending) fits(messages []Message, o Options) bool {
	if p.worthCommitting() && p.bytes+size(messages) > o.MaxBytes {
		return false
	}
	return p.count()+len(messages)+2 <= o.MaxMessages
}

func (p *pending) begin() {
	if p.since.IsZero() {
		p.since, p.waited = time.Now(), 0
	}
}

// add appends one folded input.
func (p *pending) add(record Record, messages []Message) {
	if p.inputs == 0 {
		p.oldest = record.Input.Arrived
	}
	p.Messages = append(p.Messages, messages...)
	p.bytes += size(messages)
	p.Position = record.Position
	p.inputs++
}

// put adds a snapshot; a newer one of the same group replaces it.
func (p *pending) put(snapshot Snapshot) {
	p.bytes += len(snapshot.Data)
	for i := range p.Snapshots {
		if p.Snapshots[i].Group == snapshot.Group {
			p.bytes -= len(p.Snapshots[i].Data)
			p.Snapshots[i] = snapshot
			return
		}
	}
	p.Snapshots = append(p.Snapshots, snapshot)
}

func (p *pending) snapshot(group string) *Snapshot {
	for i := range p.Snapshots {
		if p.Snapshots[i].Group == group {
			return &p.Snapshots[i]
		}
	}
	return nil
}

// states returns how many of the snapshots are of a group.
func (p *pending) states() int {
	if p.snapshot(unsavedGroup) != nil {
		return len(p.Snapshots) - 1
	}
	return len(p.Snapshots)
}

func (p *pending) stats(partition int) CommitStats {
	return CommitStats{
		Partition: partition, Inputs: p.inputs, Messages: len(p.Messages) + len(p.Skips),
		Snapshots: p.states(), Bytes: p.bytes, Oldest: p.oldest,
	}
}

func size(messages []Message) int {
	total := 0
	for _, message := range messages {
		total += message.Size()
	}
	return total
}
