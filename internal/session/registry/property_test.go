package registry

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// A collection holds the newest items up to its limit, finds exactly those by
// key, and counts the rest.
func TestCollectionModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(1, 6).Draw(t, "limit")
		c := newCollection(limit, func(s *string) int { return len(*s) }, func(s *string) []string { return []string{(*s)[:1]} })
		var model []string
		for _, item := range rapid.SliceOfN(rapid.StringMatching(`[abc][0-9]{1,3}`), 0, 40).Draw(t, "items") {
			c.add(item)
			model = append(model, item)
		}
		kept := model[max(0, len(model)-limit):]
		require.Equal(t, len(model)-len(kept), c.evicted)
		require.True(t, slices.Equal(kept, c.all()), "%v is held, not %v", c.all(), kept)
		bytes := 0
		for _, key := range []string{"a", "b", "c", "d"} {
			var want []string
			for _, item := range kept {
				if item[:1] == key {
					want = append(want, item)
					bytes += len(item)
				}
			}
			require.Equal(t, want, c.with(key))
		}
		require.Equal(t, bytes, c.bytes)
	})
}

// drawTurn draws a turn that touches every collection.
func drawTurn(t *rapid.T, n int) *sessionevents.TurnSegmented {
	path := rapid.SampledFrom([]string{"a.py", "src/a.py", "/w/src/b.py", "c.py"})
	name := rapid.SampledFrom([]string{"fetch_user", "getUser", "render", "parse_config"})
	text := rapid.SampledFrom([]string{
		"We'll use zod for validation.", "Let me reconsider. The cache handler stores session tokens.", "I'll hardcode “it”.", "", "Going with `x` here.",
	})
	draw := func() sessionevents.Segment {
		switch rapid.IntRange(0, 5).Draw(t, "kind") {
		case 0:
			return plan(text.Draw(t, "plan"))
		case 1:
			return user(text.Draw(t, "ask") + " Only touch src/a.py and `fetch_user`.")
		case 2:
			p := path.Draw(t, "path")
			s := tool(read(p, rapid.IntRange(0, 3).Draw(t, "from"), rapid.IntRange(0, 9).Draw(t, "to")),
				sessionevents.Access{Kind: sessionevents.AccessSearch, Target: "src", Query: name.Draw(t, "query")})
			s.Path, s.Symbols = p, []sessionevents.Symbol{{Name: name.Draw(t, "seen"), Kind: "function"}}
			return s
		case 3:
			return tool(sessionevents.Access{Kind: sessionevents.AccessWrite, Target: rapid.SampledFrom([]string{"", "c.py"}).Draw(t, "written")})
		case 4:
			n := name.Draw(t, "removed")
			return edit(path.Draw(t, "path"), nil, "-def "+n+"():", "-    pass", "+x = 1")
		default:
			n := name.Draw(t, "built")
			return edit(path.Draw(t, "path"), []string{n}, "+def "+n+"():", fmt.Sprintf("+    return %d", rapid.IntRange(0, 9).Draw(t, "value")))
		}
	}
	var segments []sessionevents.Segment
	for range rapid.IntRange(0, 6).Draw(t, "segments") {
		segments = append(segments, draw())
	}
	return turn(n, segments...)
}

func small(c Config) Config {
	c.Limits.FilesRead, c.Limits.FilesWritten, c.Limits.FunctionsBuilt, c.Limits.SymbolsLearnt = 3, 2, 3, 2
	c.Limits.DataFetched, c.Limits.Decisions, c.Limits.Diffs, c.Limits.PlanSentences, c.Limits.RedFlags = 2, 2, 3, 2, 2
	return c
}

// Digest changes nothing, bounds hold after every commit, and a restored
// registry is the same one: same bytes, same size, same answers, and the same
// again after more turns.
func TestFoldProperties(t *testing.T) { // SW-10, SW-11, EV-11
	c := small(config(t))
	rapid.Check(t, func(t *rapid.T) {
		r := New(c)
		r.Open(&sessionevents.SessionOpened{Workspace: "/w", Codebase: &sessionevents.Codebase{
			Files: []string{"src/a.py"}, Symbols: []sessionevents.Symbol{{Name: "load_user", Path: "src/a.py", Line: 4}},
		}})
		restoreAt := rapid.IntRange(0, 8).Draw(t, "restore at")
		var other *Registry
		for n := 1; n <= 8; n++ {
			turn := drawTurn(t, n)
			before := encode(t, r)
			first, second := r.Digest(turn), r.Digest(turn)
			require.Equal(t, before, encode(t, r), "Digest changes the registry")
			require.Equal(t, first, second, "Digest is no function of its input")
			r.Commit(first)
			requireBounds(t, r)
			if other != nil {
				other.Commit(other.Digest(turn))
			}
			if n == restoreAt {
				restored, err := Decode(c, []byte(encode(t, r)))
				require.NoError(t, err)
				other = restored
			}
			if other != nil && (n == restoreAt || n == 8) {
				requireSame(t, r, other)
			}
		}
	})
}

func encode(t require.TestingT, r *Registry) string {
	data, err := r.MarshalJSON()
	require.NoError(t, err)
	return string(data)
}

func requireBounds(t require.TestingT, r *Registry) {
	l := r.config.Limits
	for _, held := range [][2]int{
		{len(r.reads.all()), l.FilesRead},
		{len(r.writes.all()), l.FilesWritten},
		{len(r.built.all()), l.FunctionsBuilt},
		{len(r.learnt.all()), l.SymbolsLearnt},
		{len(r.fetched.all()), l.DataFetched},
		{len(r.decisions.all()), l.Decisions},
		{len(r.diffs.all()), l.Diffs},
		{len(r.plans.all()), l.PlanSentences},
		{len(r.flags.all()), l.RedFlags},
	} {
		require.LessOrEqual(t, held[0], held[1])
	}
}

func requireSame(t require.TestingT, a, b *Registry) {
	require.Equal(t, encode(t, a), encode(t, b))
	require.Equal(t, a.Evicted(), b.Evicted())
	a.codebase.prepare()
	b.codebase.prepare()
	require.Equal(t, a.Size(), b.Size())
	for _, name := range []string{"fetch_user", "render", "load_user"} {
		require.Equal(t, a.BuiltNamed(name), b.BuiltNamed(name))
		require.Equal(t, a.Known(name), b.Known(name))
		require.Equal(t, a.Alike(name), b.Alike(name))
	}
	for _, path := range []string{"a.py", "src/a.py", "src/b.py", "c.py"} {
		require.Equal(t, a.Reads(path), b.Reads(path))
		require.Equal(t, a.DiffsOf(path), b.DiffsOf(path))
		for turn := range 9 {
			require.Equal(t, a.WrittenSince(path, turn), b.WrittenSince(path, turn))
		}
	}
	require.Equal(t, a.DecisionsAbout("validation"), b.DecisionsAbout("validation"))
}

// A write that the bounds pushed out still counts as "may have changed".
func TestLostWritesAreRemembered(t *testing.T) {
	c := config(t)
	c.Limits.FilesWritten = 2
	r := New(c)
	for n := 1; n <= 4; n++ {
		fold(t, r, turn(n, edit(fmt.Sprintf("f%d.py", n), nil, "+x")))
	}
	require.True(t, r.WrittenSince("f1.py", 1))
	require.True(t, r.WrittenSince("never.py", 2), "it may be the one that was pushed out")
	require.False(t, r.WrittenSince("never.py", 3))
}

// The same turns in the same order give the same registry, whatever the
// number of times it is stored in between.
func TestCommitOrderIsWhatCounts(t *testing.T) {
	c := config(t)
	straight, stored := New(c), New(c)
	var paths []string
	for n := 1; n <= 120; n++ {
		straight.Commit(straight.Digest(syntheticTurn(n)))
		stored.Commit(stored.Digest(syntheticTurn(n)))
		again, err := Decode(c, []byte(encode(t, stored)))
		require.NoError(t, err)
		stored = again
	}
	require.Equal(t, encode(t, straight), encode(t, stored))
	for _, d := range straight.Diffs() {
		paths = append(paths, d.Path)
	}
	require.True(t, slices.IsSortedFunc(straight.Diffs(), func(a, b DiffRecord) int { return a.Turn - b.Turn }), paths)
}

func TestDamagedSnapshotsAreRefused(t *testing.T) {
	c := config(t)
	for _, data := range []string{
		"", "[]", `{"v":1}`, `{"v":2,"rows":{"files_read":{"r":[[1]]}}}`, `{"v":2,"texts":["a"],"rows":{"files_read":{"r":[[9,0,0,0,0,0,0]]}}}`,
		`{"v":2,"texts":["a","!"],"rows":{"plan_shingles":{"r":[[1,1,1]]}}}`, `{"v":2,"codebase":{"texts":["a"],"symbols":"AAAAAAAB"}}`,
		`{"v":2,"codebase":{"texts":["a"],"symbols":"AQAAAAAAAA=="}}`, `{"v":2,"codebase":{"texts":["a"],"files":"AQ=="}}`,
	} {
		_, err := Decode(c, []byte(data))
		require.Error(t, err, data)
	}
	r, err := Decode(c, []byte(`{"v":2}`))
	require.NoError(t, err)
	require.Empty(t, r.FilesRead())
}

func FuzzDecode(f *testing.F) {
	c := config(f)
	r := folded(f, 9)
	data, err := r.MarshalJSON()
	require.NoError(f, err)
	f.Add(data)
	f.Add([]byte(`{"v":2,"texts":["a"],"rows":{"diffs":{"r":[[0,1,2,3,0,0,0]]}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := Decode(c, data)
		if err != nil {
			return
		}
		r.Commit(r.Digest(syntheticTurn(3)))
		r.Known("load_record")
		r.Alike("load_record")
		again, err := Decode(c, []byte(encode(t, r)))
		require.NoError(t, err)
		require.Equal(t, encode(t, r), encode(t, again))
	})
}

func FuzzDigest(f *testing.F) {
	c := config(f)
	f.Add("We'll use x for y instead of z.", "def f(a):\n  pass", "a/b.py", "-def f(): pass")
	f.Fuzz(func(t *testing.T, text, code, path, removed string) {
		r := New(c)
		s := edit(path, []string{"f"}, "+"+code, removed)
		for n := 1; n <= 2; n++ {
			r.Commit(r.Digest(turn(n, user(text), plan(text), s, tool(read(path, 0, 0)))))
		}
		_, err := Decode(c, []byte(encode(t, r)))
		require.NoError(t, err)
	})
}
