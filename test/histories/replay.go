package histories

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/memory"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// Stage is what the replay of one stage found.
type Stage struct {
	Name   string
	Result engine.Rederived
}

// Replay folds the recorded input of each stage again. The derived events carry the
// recorded identity, so that only what is decided is compared.
func Replay(ctx context.Context, core *machines.Core, h History) ([]Stage, error) {
	ingest, err := replay(ctx, h, core.Ingest)
	if err != nil {
		return nil, err
	}
	evaluator, err := replay(ctx, h, core.Evaluate)
	if err != nil {
		return nil, err
	}
	dispatcher, err := replay(ctx, h, core.Dispatch)
	return []Stage{ingest, evaluator, dispatcher}, err
}

func replay[S any](ctx context.Context, h History, machine step.Machine[S]) (Stage, error) {
	name := machine.Stage()
	r, err := h.recording(name)
	if err != nil {
		return Stage{}, err
	}
	got, err := engine.Rederive(ctx, machine, h.Identity, r, nil, engine.Options{Partitions: subjects.DefaultPartitions, StepBudget: time.Hour})
	if err != nil {
		return Stage{}, fmt.Errorf("replay %s: %w", name, err)
	}
	return Stage{Name: name, Result: got}, nil
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
		sum := sha256.Sum256(m.Data)
		in.AppendRecord(engine.Record{Group: e.Group(), Input: step.Input{Event: e}, Hash: hex.EncodeToString(sum[:]), Length: len(m.Data)})
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
