package memory

import (
	"context"
	"iter"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Recording is the past of a stage that read In and wrote Out, for [engine.Replay].
type Recording struct {
	In, Out *Stream
}

// Read implements [engine.Source].
func (r Recording) Read(ctx context.Context, partition int, from engine.Position) (engine.Reading, error) {
	return r.In.Read(ctx, partition, from)
}

// Tail implements [engine.Source].
func (r Recording) Tail(
	ctx context.Context, partition int, group string, after, through uint64,
) iter.Seq2[engine.Record, error] {
	return r.In.Tail(ctx, partition, group, after, through)
}

// Options implements [engine.Source]: a replay saves nothing, so it needs no list of groups.
func (r Recording) Options() engine.SourceOptions { return engine.SourceOptions{} }

// Narrow implements [engine.Recording]: each partition is read by itself anyway.
func (r Recording) Narrow(int) {}

// Close implements [engine.Recording]: nothing is open.
func (r Recording) Close() {}

// Written implements [engine.Recording].
func (r Recording) Written(ctx context.Context, partition int) iter.Seq2[engine.Message, error] {
	return r.Out.Written(ctx, partition)
}

// Encode implements [engine.Recording].
func (r Recording) Encode(partition int, group string, ev events.Event) (engine.Message, error) {
	return r.Out.Encode(partition, group, ev)
}
