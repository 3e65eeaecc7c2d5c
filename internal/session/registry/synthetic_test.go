package registry

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/syntax"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

func config(t testing.TB) Config {
	t.Helper()
	c, err := loaded()
	require.NoError(t, err)
	return c
}

var loaded = sync.OnceValues(func() (Config, error) { return Load(rules.Default()) })

// syntheticTurn is turn n of a made-up session that never repeats itself: a
// plan, two reads, a search, and an edit of about 15 lines in every third turn.
func syntheticTurn(n int) *sessionevents.TurnSegmented {
	t := &sessionevents.TurnSegmented{Session: "s", Turn: n, TurnID: fmt.Sprint("t", n)}
	add := func(s sessionevents.Segment) {
		s.Index = len(t.Segments)
		t.Segments = append(t.Segments, s)
	}
	if n == 1 || n%40 == 0 {
		add(sessionevents.Segment{Kind: sessionevents.SegmentUser, Text: fmt.Sprintf(
			"Please add export number %d to src/export/writer%d.py. You must not change the public API of `Writer%d`.", n, n, n)})
	}
	add(sessionevents.Segment{Kind: sessionevents.SegmentPlan, Text: fmt.Sprintf(
		"Now I'll look at the handler for topic%d in the module. We'll use sqlite%d for storage of session%d. Then the tests need to be run again for case%d.", n, n, n, n)})
	for i := range 2 {
		path := fmt.Sprintf("src/package%d/module%d.py", n%97, n+i)
		add(sessionevents.Segment{
			Kind: sessionevents.SegmentTool, Path: path,
			Tool:     &sessionevents.ToolCall{Name: "Read", Canonical: sessionevents.ToolRead, InputHash: fmt.Sprintf("%016x", n*31+i)},
			Result:   &sessionevents.ResultDigest{Bytes: 900, Hash: fmt.Sprintf("%016x", n*77+i)},
			Accesses: []sessionevents.Access{{Kind: sessionevents.AccessRead, Target: path, From: 1, To: 200}},
			Symbols:  []sessionevents.Symbol{{Name: fmt.Sprintf("load_record_%d_%d", n, i), Kind: "function", Path: path, Line: 12, Language: "python", Signature: "(self, record_id, strict=False)"}},
		})
	}
	add(sessionevents.Segment{
		Kind:     sessionevents.SegmentTool,
		Tool:     &sessionevents.ToolCall{Name: "Grep", Canonical: sessionevents.ToolSearch, InputHash: fmt.Sprintf("%016x", n*131)},
		Result:   &sessionevents.ResultDigest{Bytes: 90, Hash: fmt.Sprintf("%016x", n*177)},
		Accesses: []sessionevents.Access{{Kind: sessionevents.AccessSearch, Target: "src", Query: fmt.Sprintf("load_record_%d", n)}},
	})
	if n%3 == 0 {
		add(syntheticDiff(n))
	}
	return t
}

func syntheticDiff(n int) sessionevents.Segment {
	lines := []string{fmt.Sprintf("+def export_record_%d(self, writer, record):", n)}
	for i := range 14 {
		lines = append(lines, fmt.Sprintf("+    value_%d = self.client_%d.request(path_%d, timeout=%d)", i, n, n*i, n))
	}
	d := &sessionevents.Diff{Op: sessionevents.DiffUpdate, Hunks: []sessionevents.Hunk{{NewStart: 10, Lines: lines}}}
	path := fmt.Sprintf("src/package%d/export%d.py", n%97, n)
	return sessionevents.Segment{
		Kind: sessionevents.SegmentDiff, Path: path, Language: "python", Diff: d,
		Symbols: syntax.Symbols("python", strings.ReplaceAll(strings.Join(lines, "\n"), "+", ""), 10),
	}
}

// folded is the registry after turns 1 … n.
func folded(t testing.TB, n int) *Registry {
	r := New(config(t))
	for i := 1; i <= n; i++ {
		r.Commit(r.Digest(syntheticTurn(i)))
	}
	return r
}

func TestStateStaysBounded(t *testing.T) { // SW-10: memory must not grow with the session
	packer, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1)) // as the stage stores it
	require.NoError(t, err)
	var encoded, stored, memory []int
	for _, n := range []int{50, 500, 5000} {
		r := folded(t, n)
		data, err := r.MarshalJSON()
		require.NoError(t, err)
		packed := packer.EncodeAll(data, nil)
		encoded, stored, memory = append(encoded, len(data)), append(stored, len(packed)), append(memory, r.Size())
		t.Logf("after %d turns: %d bytes encoded, %d stored, %d in memory, evicted %v", n, len(data), len(packed), r.Size(), r.Evicted())
	}
	require.LessOrEqual(t, stored[2], 64<<10)
	require.LessOrEqual(t, encoded[2], 128<<10)
	require.LessOrEqual(t, memory[2], 512<<10)
	for _, sizes := range [][]int{encoded, stored, memory} {
		require.LessOrEqual(t, sizes[2], sizes[1]*5/4, "what is left of growth is longer numbers and the scope's own limits")
	}
}

// The cost of a turn, counted in allocations, does not grow with the session.
func TestTurnCostIsFlat(t *testing.T) { // SW-10
	cost := func(n int) float64 {
		r := folded(t, n)
		return testing.AllocsPerRun(60, func() {
			n++
			r.Commit(r.Digest(syntheticTurn(n)))
		})
	}
	early, late := cost(50), cost(5000)
	t.Logf("%.0f allocations a turn after 50 turns, %.0f after 5,000", early, late)
	require.LessOrEqual(t, late, early*1.25, "eviction costs a little, the length nothing")
}

func BenchmarkTurn(b *testing.B) {
	for _, n := range []int{50, 5000} {
		b.Run(fmt.Sprint("after", n), func(b *testing.B) {
			r := folded(b, n)
			turns := make([]*sessionevents.TurnSegmented, 300)
			for i := range turns {
				turns[i] = syntheticTurn(n + 1 + i)
			}
			i := 0
			for b.Loop() {
				r.Commit(r.Digest(turns[i%len(turns)]))
				i++
			}
		})
	}
}

func BenchmarkSnapshot(b *testing.B) {
	r := folded(b, 5000)
	data, err := r.MarshalJSON()
	require.NoError(b, err)
	b.Run("encode", func(b *testing.B) {
		for b.Loop() {
			_, _ = r.MarshalJSON()
		}
	})
	b.Run("decode", func(b *testing.B) {
		for b.Loop() {
			_, _ = Decode(r.config, data)
		}
	})
}
