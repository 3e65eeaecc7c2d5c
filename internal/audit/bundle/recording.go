package bundle

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/memory"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// Stages lists the stages that a bundle can be replayed for. Ingest cannot, because INPUT is not redacted
// and so not in the bundle.
var Stages = []string{"evaluator", "dispatcher"}

// Recording returns what a stage read through its last checkpoint and what it committed. It holds the
// bundle's part of both streams in memory.
func (b *Bundle) Recording(ctx context.Context, stage string) (engine.Recording, error) {
	if !slices.Contains(Stages, stage) {
		return nil, fmt.Errorf("a bundle has no raw input, so %s is not replayed from it", stage)
	}
	partitions := b.Manifest.Partitions
	source := subjects.SourceOf(stage)
	written := Streams[slices.Index(Streams, source)+1]
	r := recording{written: map[int][]engine.Message{}}
	ends := map[int]uint64{}
	skips := map[string]map[uint64]string{}
	err := b.Each(ctx, written, math.MaxUint64, func(m proof.Message) error {
		at, _ := placeOf(m.Subject)
		switch {
		case at.Kind == subjects.KindCheckpoint:
			c := proof.Checkpoint{}
			if err := json.Unmarshal(m.Data, &c); err != nil {
				return fmt.Errorf("read the checkpoint at %d: %w", m.Sequence, err)
			}
			ends[at.Partition] = c.Position.Sequence
		case at.Kind == kindSkip:
			skip := engine.Skip{}
			if err := json.Unmarshal(m.Data, &skip); err != nil {
				return fmt.Errorf("read the skip at %d: %w", m.Sequence, err)
			}
			if skips[skip.Group] == nil {
				skips[skip.Group] = map[uint64]string{}
			}
			skips[skip.Group][skip.Sequence] = skip.Reason
		default:
			r.written[at.Partition] = append(r.written[at.Partition], engine.Message{Subject: m.Subject, Header: m.Header, Data: m.Data})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	in := memory.NewStream(source, partitions)
	err = b.Each(ctx, source, math.MaxUint64, func(m proof.Message) error {
		at, _ := placeOf(m.Subject)
		if at.Kind != subjects.KindStored && at.Kind != subjects.KindForwarded || m.Sequence > ends[at.Partition] {
			return nil
		}
		e, err := events.DecodeMessage(m.Header, m.Data)
		if err != nil {
			return fmt.Errorf("decode message %d of %s: %w", m.Sequence, source, err)
		}
		// The data is left out: only a dead letter needs it, and a replay stores none.
		in.AppendRecord(engine.Record{Group: at.Group, Input: step.Input{Event: e, Arrived: m.Time}, Skip: skips[at.Group][m.Sequence]})
		return nil
	})
	in.End()
	r.Recording = memory.Recording{In: in, Out: memory.NewStream(written, partitions)}
	return r, err
}

// recording is what a stage read and wrote, in memory.
type recording struct {
	memory.Recording
	written map[int][]engine.Message
}

// Written yields the recorded events of a partition.
func (r recording) Written(_ context.Context, partition int) iter.Seq2[engine.Message, error] {
	return func(yield func(engine.Message, error) bool) {
		for _, m := range r.written[partition] {
			if !yield(m, nil) {
				return
			}
		}
	}
}
