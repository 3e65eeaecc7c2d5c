package registry

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	_ "github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern/re2" // as services do
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// turn builds a segmented turn; segments are numbered in order.
func turn(n int, segments ...sessionevents.Segment) *sessionevents.TurnSegmented {
	for i := range segments {
		segments[i].Index = i
	}
	return &sessionevents.TurnSegmented{Session: "s", Turn: n, Segments: segments}
}

func user(text string) sessionevents.Segment {
	return sessionevents.Segment{Kind: sessionevents.SegmentUser, Text: text}
}

func plan(text string) sessionevents.Segment {
	return sessionevents.Segment{Kind: sessionevents.SegmentPlan, Text: text}
}

func tool(accesses ...sessionevents.Access) sessionevents.Segment {
	return sessionevents.Segment{
		Kind: sessionevents.SegmentTool, Accesses: accesses, Tool: &sessionevents.ToolCall{Name: "x", InputHash: "in"},
		Result: &sessionevents.ResultDigest{Hash: "out"},
	}
}

func shell(effects ...string) sessionevents.Segment {
	s := tool()
	s.Tool.Effects = effects
	return s
}

func read(path string, from, to int) sessionevents.Access {
	return sessionevents.Access{Kind: sessionevents.AccessRead, Target: path, From: from, To: to}
}

func edit(path string, symbols []string, lines ...string) sessionevents.Segment {
	s := sessionevents.Segment{
		Kind: sessionevents.SegmentDiff, Path: path, Language: "python",
		Diff: &sessionevents.Diff{Op: sessionevents.DiffUpdate, Hunks: []sessionevents.Hunk{{Lines: lines}}},
	}
	for _, name := range symbols {
		s.Symbols = append(s.Symbols, sessionevents.Symbol{Name: name, Kind: "function", Shingles: similarity.Sketch(name+" body of it", 64)})
	}
	return s
}

func fold(t *testing.T, r *Registry, turns ...*sessionevents.TurnSegmented) *Turn {
	t.Helper()
	var last *Turn
	for _, turn := range turns {
		last = r.Digest(turn)
		r.Commit(last)
	}
	return last
}

func names(list []Built) []string {
	var out []string
	for _, b := range list {
		out = append(out, b.Symbol.Name)
	}
	return out
}

func TestReadsAndWrites(t *testing.T) { // SW-10, SW-12
	r := New(config(t))
	r.Open(&sessionevents.SessionOpened{Session: "s", Workspace: "/home/dev/project/"})
	fold(t, r, turn(1, tool(read("/home/dev/project/src/a.py", 1, 40)), tool(read("./src/b.py", 0, 0))))
	require.Equal(t, []FileRead{{Path: "src/a.py", From: 1, To: 40, Turn: 1, Hash: "out", InputHash: "in"}}, r.Reads("src/a.py"))
	require.Len(t, r.Reads("/home/dev/project/src/b.py"), 1)
	require.Empty(t, r.Reads("b.py"))
	require.False(t, r.WrittenSince("src/a.py", 1))

	fold(t, r, turn(2, edit("src/a.py", nil, "+x = 1")))
	require.True(t, r.WrittenSince("src/a.py", 1))
	require.True(t, r.WrittenSince("/other/place/src/a.py", 2), "an absolute and a relative spelling agree")
	require.False(t, r.WrittenAfter("src/a.py", 2, 0))
	require.False(t, r.WrittenSince("src/a.py", 3))
	require.False(t, r.WrittenSince("lib/b.py", 1))

	fold(t, r, turn(3, tool(sessionevents.Access{Kind: sessionevents.AccessWrite})))
	require.True(t, r.WrittenSince("src/b.py", 1), "a formatter may have changed any file")
	require.False(t, r.WrittenSince("src/b.py", 4))
}

func TestWhatWasNotDoneIsNotRecorded(t *testing.T) { // SW-3, SW-4
	failed, shown, refused := edit("a.py", []string{"f"}, "+x"), edit("b.py", []string{"f"}, "+x"), edit("c.py", []string{"f"}, "+x")
	failed.Diff.Failed, shown.Proposed, refused.Rejected = true, true, true
	failed.Accesses = []sessionevents.Access{{Kind: sessionevents.AccessWrite, Target: "a.py"}}
	got := New(config(t)).Digest(turn(1, failed, shown, refused))
	require.Empty(t, got.FilesWritten)
	require.Empty(t, got.Diffs)
	require.Empty(t, got.Built)
	require.False(t, got.Effect)
}

func TestCovers(t *testing.T) { // C1: a range already covered
	for _, c := range []struct {
		from, to, wantFrom, wantTo int
		want                       bool
	}{
		{0, 0, 5, 9, true},
		{1, 0, 0, 0, true},
		{5, 20, 5, 20, true},
		{5, 20, 6, 7, true},
		{5, 20, 1, 7, false},
		{5, 20, 6, 21, false},
		{5, 20, 0, 0, false},
		{5, 0, 9, 0, true},
		{5, 20, 9, 0, false},
		{-1, -1, 5, 6, false},
		{0, 0, -1, -1, false},
	} {
		f := FileRead{From: c.from, To: c.to}
		require.Equal(t, c.want, f.Covers(c.wantFrom, c.wantTo), "%+v", c)
	}
}

func TestBuiltEditedRemoved(t *testing.T) { // SW-10 functions_built
	r := New(config(t))
	fold(t, r, turn(1, edit("s.py", []string{"fetch_user", "helper"}, "+def fetch_user(a):", "+    return a", "+def helper():", "+    pass")))
	require.Equal(t, []string{"fetch_user"}, names(r.BuiltNamed("fetch_user")))
	require.Equal(t, []string{"fetch_user"}, names(r.BuiltNamed("getAccount")), "the same in other words")
	require.Empty(t, r.BuiltNamed("render_chart"))
	require.Len(t, r.BuiltIn("s.py"), 2)

	edited := fold(t, r, turn(2, edit("s.py", []string{"fetch_user"}, "-def fetch_user(a):", "+def fetch_user(a, b):", "+    return b")))
	require.Empty(t, edited.Built, "an edited declaration is not built anew")
	require.Len(t, edited.Edited, 1)
	require.Empty(t, edited.Removed)
	b := r.BuiltNamed("fetch_user")[0]
	require.Equal(t, []int{1, 2, 1}, []int{b.Turn, b.Last, b.Times})

	fold(t, r, turn(2, edit("s.py", nil, "-def fetch_user(a, b):", "+def fetch_user(b):", "+    return b")))
	require.Zero(t, r.BuiltNamed("fetch_user")[0].Gone, "edited, though the segment leaves edited symbols out")

	again := fold(t, r, turn(3, edit("s.py", []string{"fetch_user"}, "+def fetch_user(a):", "+    return 3")))
	require.Len(t, again.Built, 1)
	require.Equal(t, 2, r.BuiltNamed("fetch_user")[0].Times)

	fold(t, r, turn(4, edit("s.py", nil, "-def helper():", "-    pass")))
	require.Equal(t, 4, r.BuiltNamed("helper")[0].Gone)
	whole := edit("s.py", nil)
	whole.Diff.Op = sessionevents.DiffDelete
	fold(t, r, turn(5, whole))
	require.Equal(t, 5, r.BuiltNamed("fetch_user")[0].Gone)
}

func TestKnownSymbols(t *testing.T) { // SW-10 codebase_symbols, A1
	r := New(config(t))
	r.Open(&sessionevents.SessionOpened{Session: "s", Codebase: &sessionevents.Codebase{Files: []string{"src/user.py"}, Symbols: []sessionevents.Symbol{
		{Name: "load_user", Kind: "function", Path: "src/user.py", Line: 3, Language: "python", Signature: "(id)"},
		{Name: "render_chart", Kind: "function", Path: "src/chart.py"},
	}}})
	seen := tool(read("src/order.py", 0, 0))
	seen.Path, seen.Language = "src/order.py", "python"
	seen.Symbols = []sessionevents.Symbol{{Name: "get_order", Kind: "function"}, {Name: "fetchUser", Kind: "function"}}
	fold(t, r, turn(1, seen), turn(2, seen))
	require.Equal(t, []string{"fetchUser", "load_user"}, names(r.Known("fetchUser")))
	require.Equal(t, []string{"load_user", "fetchUser"}, names(r.Known("load_user")))
	require.Equal(t, Built{Turn: 0, Symbol: sessionevents.Symbol{Name: "load_user", Kind: "function", Path: "src/user.py", Line: 3, Language: "python", Signature: "(id)"}}, r.Known("load_user")[0])
	require.Equal(t, []int{1, 2}, []int{r.Known("get_order")[0].Turn, r.Known("get_order")[0].Last}, "seen twice, kept once")
	require.ElementsMatch(t, []string{"fetchUser", "load_user", "get_order"}, names(r.Alike("load_user_order")))
	require.ElementsMatch(t, []string{"fetchUser", "load_user"}, names(r.Alike("user_with_unheard_words")), "words nobody has do not count")
	require.Empty(t, r.Known("nothing_like_it"))
	require.Equal(t, []string{"src/user.py"}, r.CodebaseFiles())

	child := New(config(t))
	child.Inherit(r)
	require.NotEmpty(t, child.Known("render_chart"), "a subagent knows its parent's codebase (SW-1)")
}

func TestCodebaseIsBounded(t *testing.T) { // SW-10
	c := config(t)
	c.Limits.CodebaseSymbols = 2
	r := New(c)
	r.Open(&sessionevents.SessionOpened{Codebase: &sessionevents.Codebase{Symbols: []sessionevents.Symbol{{Name: "a"}, {Name: "b"}, {Name: "c"}}}})
	require.Equal(t, map[string]int{"codebase_symbols": 1}, r.Evicted())
	require.Empty(t, r.Known("c"))
}

func TestDecisions(t *testing.T) { // SW-13
	for _, c := range []struct{ text, topic, choice, rejected string }{
		{"We'll use `zod` for request validation.", "request validation", "zod", ""},
		{"I'm going with SQLite for the job queue.", "job queue", "SQLite", ""},
		{"Going with the adapter pattern here.", "", "adapter pattern", ""},
		{"I’ve decided to use pytest for the suite.", "suite", "pytest", ""},
		{"I decided to split the module.", "", "split the module", ""},
		{"Let's use httpx instead of requests.", "", "httpx", "requests"},
		{"We're switching from callbacks to promises.", "", "promises", "callbacks"},
		{"I decided against caching for now.", "now", "", "caching"},
		{"I need to change the loader to use streams instead of buffers.", "loader", "streams", "buffers"},
		{"The field should use `self.root` rather than `schema`.", "field", "self.root", "schema"},
		{"We chose Postgres over MySQL for storage.", "storage", "Postgres", "MySQL"},
	} {
		got := New(config(t)).Digest(turn(1, plan(c.text))).Decisions
		require.Len(t, got, 1, c.text)
		topic := c.topic
		if topic == "now" { // a topic that names nothing
			topic = ""
		}
		require.Equal(t, []string{topic, c.choice, c.rejected}, []string{got[0].Topic, got[0].Choice, got[0].Rejected}, c.text)
	}
	for _, text := range []string{
		"Should we use zod for validation?", "If it fails we'll use zod for validation.", "I'll use the Read tool for the file.",
		"Let me use grep for this.", "The code uses X instead of Y.", "> We'll use zod for validation.", "`We'll use zod for validation.`",
		"I'll use it for that.", "They chose well.",
	} {
		require.Empty(t, New(config(t)).Digest(turn(1, plan(text))).Decisions, text)
	}
	r := New(config(t))
	fold(t, r, turn(1, plan("We'll use zod for request validation.")), turn(2, plan("We'll use ajv for request validation.")), turn(3, plan("We'll use SQLite for storage.")))
	require.Equal(t, "ajv", r.DecisionsAbout("validating requests")[0].Choice, "newest first")
	require.Len(t, r.DecisionsAbout("validating requests"), 2)
	require.Empty(t, r.DecisionsAbout("logging"))
	require.Empty(t, New(config(t)).Digest(turn(1, user("We'll use zod for validation."))).Decisions, "only PLAN decides")
}

func TestScope(t *testing.T) { // SW-14
	r := New(config(t))
	require.False(t, r.Baseline.Known)
	first := r.Digest(turn(1, user("Add a `CsvExporter` to src/export/csv.py. You must not change parse_rows() and don't add dependencies."), plan("I see.")))
	require.True(t, first.Baseline.Known, "the turn sees its own user message")
	require.False(t, r.Baseline.Known, "not folded yet")
	r.Commit(first)
	b := r.Baseline
	require.Contains(t, b.Task, "Add a `CsvExporter`")
	require.Equal(t, []string{"You must not change parse_rows() and don't add dependencies."}, b.Constraints)
	require.Equal(t, []string{"src/export/csv.py"}, b.Paths)
	require.ElementsMatch(t, []string{"CsvExporter", "parse_rows"}, b.Identifiers)
	require.Contains(t, b.Terms, "export")
	require.NotContains(t, b.Terms, "add")

	fold(t, r, turn(2, plan("Working.")), turn(3, user("Also write the header row, only once.")))
	require.Equal(t, 3, r.Baseline.Terms["header"], "a later message extends the scope")
	require.Equal(t, 1, r.Baseline.Terms["export"])
	require.Len(t, r.Baseline.Requests, 2)
	require.Len(t, r.Baseline.Constraints, 2)
	require.Equal(t, 3, r.Counters.LastUserTurn)
	require.Equal(t, b.Task, r.Baseline.Task)

	silent := New(config(t))
	fold(t, silent, turn(1, plan("No one asked."), user("  ")))
	require.False(t, silent.Baseline.Known)

	opened := New(config(t))
	opened.Open(&sessionevents.SessionOpened{Task: "Fix login in auth.py", Constraints: []string{"keep the API"}, Conventions: []sessionevents.Convention{{ID: "c"}}})
	require.True(t, opened.Baseline.Known)
	require.Equal(t, []string{"keep the API"}, opened.Baseline.Constraints)
	require.Len(t, opened.Conventions, 1)
	child := New(config(t))
	child.Inherit(opened)
	child.Commit(child.Digest(turn(1, user("And logout."))))
	require.NotContains(t, opened.Baseline.Terms, "logout", "the parent does not change")
	require.Contains(t, child.Baseline.Terms, "login")
}

func TestConstraints(t *testing.T) { // SW-14
	for text, want := range map[string]bool{
		"Don't touch the tests.": true, "Please do not add comments.": true, "Only change main.go.": true, "Keep the API unchanged.": true,
		"Can you use a switch instead of ifs?": true, "No new dependencies.": true, "The code should only use errors.As().": true,
		"Make sure it builds.": true, "Use streams rather than buffers.": true, "It must work offline.": true,
		"I don't understand it.": false, "Shouldn't the blobs have been reused?": false, "I've only recently seen this.": false,
		"It sends only part of it.": false, "I cannot see any sessions.": false, "Why don't we see it?": false, "`don't` is a word.": false,
	} {
		r := New(config(t))
		fold(t, r, turn(1, user(text)))
		require.Equal(t, want, len(r.Baseline.Constraints) == 1, "%q gives %q", text, r.Baseline.Constraints)
	}
}

func TestNamedPathsAndIdentifiers(t *testing.T) { // SW-14
	r := New(config(t))
	fold(t, r, turn(1, user("See https://example.com/a/b_c and @/w/src/app.py, ./lib/x/ and package.json; call `Store.load()` from parseRows(). Not 3/4.")))
	require.Equal(t, []string{"/w/src/app.py", "lib/x", "package.json"}, r.Baseline.Paths)
	require.ElementsMatch(t, []string{"Store.load", "parseRows"}, r.Baseline.Identifiers)
}

func TestRedFlagsAndSentences(t *testing.T) { // SW-20
	thinking := plan("Let me reconsider.")
	thinking.Thinking = true
	got := New(config(t)).Digest(turn(7, plan("First. I'll hardcode it."), thinking, user("Let me reconsider."), edit("a.py", nil, "+# let me reconsider")))
	require.Equal(t, []sessionevents.RedFlagHit{
		{ID: "RF06", Turn: 7, Segment: 0, Offset: 7, Length: 13, Sentence: "I'll hardcode it."},
		{ID: "RF09", Turn: 7, Segment: 1, Offset: 0, Length: 17, Sentence: "Let me reconsider.", Thinking: true},
	}, got.RedFlags)
	require.Equal(t, []Sentence{{0, 0, "First.", false}, {0, 7, "I'll hardcode it.", false}, {1, 0, "Let me reconsider.", true}}, got.Sentences)
	r := New(config(t))
	r.Commit(got)
	require.Len(t, r.RedFlags("RF06"), 1)
	require.Len(t, r.RedFlags(""), 2)
}

func TestCounters(t *testing.T) { // D3, C1
	r := New(config(t))
	fold(t, r, turn(1, tool(read("a", 0, 0))), turn(2, plan("Let me explore how it works.")), turn(3, plan("Hm.")))
	require.Equal(t, 2, r.Counters.ResearchTurns, "a turn of mere words leaves the run as it is")
	fold(t, r, turn(4, shell("test")))
	require.Zero(t, r.Counters.ResearchTurns)
	compacted := turn(5, tool(read("a", 0, 0)), sessionevents.Segment{Kind: sessionevents.SegmentError})
	compacted.Continuity = &sessionevents.Continuity{Compacted: true}
	fold(t, r, compacted, turn(6, edit("a.py", nil, "+x")))
	require.Equal(t, Counters{Turns: 6, Diffs: 1, Errors: 1, LastCompacted: 5}, r.Counters)
	require.True(t, r.CompactedSince(4))
	require.False(t, r.CompactedSince(5))
}

func TestFetchesAndPlans(t *testing.T) { // C1, C3
	r := New(config(t))
	fold(t, r, turn(1, tool(sessionevents.Access{Kind: sessionevents.AccessSearch, Target: "src", Query: "TODO -i"}), plan("The cache must be cleared before the session handler reloads its tokens.")))
	require.Len(t, r.Fetches(FetchKey(sessionevents.AccessSearch, "src", "TODO -i")), 1)
	require.Empty(t, r.Fetches(FetchKey(sessionevents.AccessSearch, "src", "TODO")))
	match, ok := r.SimilarPlan("Before the session handler reloads tokens, clear the cache.", 0.6)
	require.True(t, ok)
	require.Equal(t, 1, match.Turn)
	_, ok = r.SimilarPlan("The button colour follows the theme of the page.", 0.6)
	require.False(t, ok)
}

func TestDiffRecords(t *testing.T) { // C2, C3: overlap and exact reversals
	r := New(config(t))
	fold(t, r, turn(1, edit("a.py", nil, "-old()", "+new()")), turn(2, edit("a.py", nil, "-  new()", "+old()", "+")))
	list := r.DiffsOf("a.py")
	require.Len(t, list, 2)
	require.Equal(t, list[0].AddedHash, list[1].RemovedHash)
	require.Equal(t, list[0].RemovedHash, list[1].AddedHash)
	require.Equal(t, []int{1, 1}, []int{list[0].Added, list[0].Removed})
}

// The zero value can be read and folded into, and keeps nothing.
func TestZeroRegistry(t *testing.T) {
	r := &Registry{}
	r.Commit(r.Digest(syntheticTurn(3)))
	require.Empty(t, r.Reads("x"))
	require.Empty(t, r.Known("x"))
	require.Empty(t, r.Alike("x"))
	require.False(t, r.WrittenSince("x", 0))
	require.Error(t, json.Unmarshal([]byte("{}"), r))
}
