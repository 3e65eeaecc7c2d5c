package engine_test

import (
	"context"
	"iter"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/enginetest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/memory"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
)

func recorded(t *testing.T) *past {
	m := newPast(partitions)
	fill(m, 200)
	run(t, m, enginetest.Tally{}, brisk)
	return m
}

func replay(m *past, machine enginetest.Tally, id step.Identity) error {
	return engine.Replay(context.Background(), machine, id, m.recording(), brisk)
}

func (p *past) recording() memory.Recording { return memory.Recording{In: p.in, Out: p.out} }

// lying is a recording in which some messages of partition 1 were changed.
type lying struct {
	memory.Recording
	edits map[int]func(*engine.Message)
}

func (l lying) Written(ctx context.Context, partition int) iter.Seq2[engine.Message, error] {
	return func(yield func(engine.Message, error) bool) {
		at := 0
		for message, err := range l.Recording.Written(ctx, partition) {
			if edit := l.edits[at]; edit != nil && partition == 1 {
				edit(&message)
			}
			at++
			if !yield(message, err) {
				return
			}
		}
	}
}

func TestReplayOfTheSamePast(t *testing.T) {
	require.NoError(t, replay(recorded(t), enginetest.Tally{}, identity))
}

func TestReplayNamesTheFirstDifference(t *testing.T) {
	m := recorded(t)
	lie := lying{m.recording(), map[int]func(*engine.Message){
		5: func(message *engine.Message) {
			message.Data = []byte(strings.Replace(string(message.Data), `"turn":`, `"turn":9`, 1))
		},
		9: func(message *engine.Message) { message.Subject = "later" },
	}}
	var difference *engine.Difference
	require.ErrorAs(t, engine.Replay(context.Background(), enginetest.Tally{}, identity, lie, brisk), &difference)
	require.Equal(t, 1, difference.Partition)
	require.Equal(t, 5, difference.Index)
	require.Equal(t, "data.turn", difference.Field)
	require.Equal(t, "9"+difference.Derived, difference.Recorded)
	require.NotEmpty(t, difference.ID)
}

func TestReplayFindsMissingAndSurplusEvents(t *testing.T) {
	m := recorded(t)
	m.in.Append(turn("s1", "late", "x"))
	var difference *engine.Difference
	require.ErrorAs(t, replay(m, enginetest.Tally{}, identity), &difference)
	require.Equal(t, "event", difference.Field)
	require.Equal(t, "none", difference.Recorded)

	shorter := recorded(t)
	require.ErrorAs(t, engine.Replay(context.Background(), enginetest.Tally{}, identity, silent{shorter.recording()}, brisk), &difference)
	require.Equal(t, "none", difference.Derived)
}

// silent is a recording without its inputs.
type silent struct{ memory.Recording }

func (s silent) Read(ctx context.Context, n int, _ engine.Position) (engine.Reading, error) {
	return s.Recording.Read(ctx, n, engine.Position{Sequence: 1 << 40})
}

// waking is a recording whose end can be read only while its context goes on, as from
// a broker that has not sent it yet.
type waking struct{ memory.Recording }

func (w waking) Written(ctx context.Context, partition int) iter.Seq2[engine.Message, error] {
	return func(yield func(engine.Message, error) bool) {
		for message, err := range w.Recording.Written(ctx, partition) {
			if !yield(message, err) {
				return
			}
		}
		if ctx.Err() != nil {
			yield(engine.Message{}, ctx.Err())
		}
	}
}

// What follows the last derived event is read after all partitions have ended: a slow
// broker failed a replay with "context canceled".
func TestReplayReadsTheRestAfterAllHaveEnded(t *testing.T) {
	require.NoError(t, engine.Replay(context.Background(), enginetest.Tally{}, identity, waking{recorded(t).recording()}, brisk))
}

func TestReplayUnderOtherRulesSaysSo(t *testing.T) {
	err := replay(recorded(t), enginetest.Tally{}, step.Identity{RulesVersion: "2", ConfigHash: "c"})
	require.ErrorIs(t, err, engine.ErrOtherRules)
	require.ErrorContains(t, err, `rulesversion "1", this replay "2"`)
}
