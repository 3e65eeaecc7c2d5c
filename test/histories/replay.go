package histories

import (
	"context"
	"fmt"
	"iter"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/memory"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
	"github.com/scaffoldwatch/scaffoldwatch/test/replayed"
)

// Replay folds the recorded input of each stage again. The derived events carry the
// recorded identity, so that only what is decided is compared.
func Replay(ctx context.Context, core *machines.Core, h History) ([]replayed.Stage, error) {
	return replayed.Stages(ctx, core, h.Identity, h.recording, subjects.DefaultPartitions)
}

// recording is the past of a stage, read from a history.
type recording struct {
	memory.Recording
	out []engine.Message
}

func (h History) recording(stage string) (engine.Recording, error) {
	source := subjects.SourceOf(stage)
	in := memory.NewStream(source, subjects.DefaultPartitions)
	for _, m := range h.Streams[source] {
		e, err := events.DecodeMessage(m.Header, m.Data)
		if err != nil {
			return nil, fmt.Errorf("decode %s: %w", m.Subject, err)
		}
		in.AppendRecord(engine.Record{Group: e.Group(), Input: step.Input{Event: e}, Data: m.Data})
	}
	in.End()
	to := written[stage]
	return recording{memory.Recording{In: in, Out: memory.NewStream(to, subjects.DefaultPartitions)}, h.Streams[to]}, nil
}

// Written yields the recorded events of a partition.
func (r recording) Written(_ context.Context, partition int) iter.Seq2[engine.Message, error] {
	return func(yield func(engine.Message, error) bool) {
		for _, m := range r.out {
			subject, err := subjects.ParseSubject(m.Subject)
			if err == nil && subject.Partition != partition {
				continue
			}
			if !yield(m, err) {
				return
			}
		}
	}
}
