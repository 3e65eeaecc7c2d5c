package engine_test

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/enginetest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/memory"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
)

func rederive(t *testing.T, recording engine.Recording, id step.Identity) engine.Rederived {
	t.Helper()
	result, err := engine.Rederive(context.Background(), enginetest.Tally{}, id, recording, nil, brisk)
	require.NoError(t, err)
	return result
}

func TestRederiveComparesEachGroup(t *testing.T) {
	m := recorded(t)
	clean := rederive(t, m.recording(), identity)
	require.Empty(t, clean.First)
	require.Empty(t, clean.Other)
	require.Greater(t, clean.Groups, 3)
	require.Greater(t, clean.Same, 100)

	// One event changed, and another of a group that is then not compared further.
	lie := lying{m.recording(), map[int]func(*engine.Message){
		5: func(message *engine.Message) {
			message.Data = []byte(strings.Replace(string(message.Data), `"turn":`, `"turn":9`, 1))
		},
	}}
	result := rederive(t, lie, identity)
	require.Len(t, result.First, 1)
	first := result.First[0]
	require.Equal(t, "data.turn", first.Field)
	require.Equal(t, "9"+first.Derived, first.Recorded)
	require.Equal(t, 1, first.Partition)
	require.NotEmpty(t, first.Cause)
	require.NotEmpty(t, first.Group)
	require.Equal(t, "turn.evaluated", first.Type)
	require.Contains(t, string(first.Was), `"turn":9`)
	require.NotEqual(t, string(first.Was), string(first.Is))
	require.Equal(t, clean.Groups, result.Groups, "the other groups are compared to their end")

	only := rederive(t, engine.Only(lie, first.Group, 1), identity)
	require.Equal(t, result.First, only.First)
	require.Equal(t, 1, only.Groups)
}

func TestRederiveFindsMissingAndSurplusEvents(t *testing.T) {
	m := recorded(t)
	m.in.Append(turn("s1", "late", "x"))
	result := rederive(t, m.recording(), identity)
	require.Len(t, result.First, 1)
	require.Equal(t, "s1", result.First[0].Group)
	require.Equal(t, "none", result.First[0].Recorded)
	require.Equal(t, "late", result.First[0].Cause)

	shorter := recorded(t)
	result = rederive(t, silent{shorter.recording()}, identity)
	require.Len(t, result.First, result.Groups)
	require.Equal(t, "none", result.First[0].Derived)
}

func TestRederiveUnderOtherRulesComparesNothing(t *testing.T) {
	result := rederive(t, recorded(t).recording(), step.Identity{RulesVersion: "2", ConfigHash: "c"})
	require.Empty(t, result.First)
	require.Equal(t, []engine.OtherRules{{Rules: "1", Config: "c", Groups: result.Groups}}, result.Other)
}

// An event that a stage forwards carries no rules: in the place of another it is a difference,
// not one recorded under other rules.
func TestRederiveComparesWithForwardedEvents(t *testing.T) {
	lie := lying{recorded(t).recording(), map[int]func(*engine.Message){
		5: func(message *engine.Message) {
			message.Header = maps.Clone(message.Header)
			message.Header["ce-type"] = []string{"session.opened"}
			delete(message.Header, "ce-rulesversion")
			delete(message.Header, "ce-confighash")
			delete(message.Header, "ce-causationid")
		},
	}}
	result := rederive(t, lie, identity)
	require.Empty(t, result.Other)
	require.Len(t, result.First, 1)
	require.Equal(t, "turn.evaluated", result.First[0].DerivedType)
	require.NotEmpty(t, result.First[0].Cause)
}

// refolding is a recording that counts the inputs that are read a second time.
type refolding struct {
	memory.Recording
	again *atomic.Int64
}

func (r refolding) Tail(
	ctx context.Context, partition int, group string, after, through uint64,
) iter.Seq2[engine.Record, error] {
	return func(yield func(engine.Record, error) bool) {
		for record, err := range r.Recording.Tail(ctx, partition, group, after, through) {
			r.again.Add(1)
			if !yield(record, err) {
				return
			}
		}
	}
}

// A replay of more states than fit in memory folds each input once: it keeps the snapshots that
// make room.
func TestRederiveFoldsEachInputOnceWhereStatesDoNotFit(t *testing.T) {
	m, again := newPast(partitions), &atomic.Int64{}
	for i := range 400 {
		m.in.Append(turn(fmt.Sprintf("s%d", i%40), strconv.Itoa(i), "x"))
	}
	run(t, m, enginetest.Tally{}, brisk)
	o := brisk
	o.StateBytes = 1
	result, err := engine.Rederive(context.Background(), enginetest.Tally{}, identity, refolding{m.recording(), again}, nil, o)
	require.NoError(t, err)
	require.Empty(t, result.First)
	require.Greater(t, result.Same, 100)
	require.Less(t, again.Load(), int64(20))
}

// What is the same in another form, such as header names in another case, does not differ.
func TestRederiveComparesEventsNotTheirForm(t *testing.T) {
	m := recorded(t)
	edits := map[int]func(*engine.Message){
		3: func(message *engine.Message) {
			id := message.Header["ce-id"]
			delete(message.Header, "ce-id")
			message.Header["Ce-Id"] = id
		},
		4: func(message *engine.Message) { message.Header["Nats-Stream"] = []string{"x"} },
	}
	require.Empty(t, rederive(t, lying{m.recording(), edits}, identity).First)
	more := lying{recorded(t).recording(), map[int]func(*engine.Message){
		3: func(message *engine.Message) { message.Header["ce-later"] = []string{"x"} },
	}}
	result := rederive(t, more, identity)
	require.Len(t, result.First, 1)
	require.Equal(t, "header ce-later", result.First[0].Field)
}
