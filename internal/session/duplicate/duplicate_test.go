package duplicate

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/syntax"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

func measure(t require.TestingT) *Measure {
	m, err := New(rules.Default())
	require.NoError(t, err)
	return m
}

// symbol is the first one that code declares.
func symbol(t require.TestingT, language, code string) *sessionevents.Symbol {
	list := syntax.SymbolsSketched(language, code, 1, 24)
	require.NotEmpty(t, list, code)
	return &list[0]
}

const fetchUser = "def fetch_user(session, user_id):\n    row = session.execute(query(user_id)).one()\n    check(row)\n    return to_user(row, depth=2)\n"

func TestOverlap(t *testing.T) { // A1, A3
	m := measure(t)
	for _, c := range []struct {
		what, language, a, b string
		low, high            float64
		otherPurpose         bool
	}{
		{"the same", "python", fetchUser, fetchUser, 1, 1, false},
		{"in other words", "python", strings.Replace(fetchUser, "fetch_user", "get_account", 1), fetchUser, 0.93, 0.99, false},
		{
			"the same name for another thing", "python",
			"def fetch_user(text, strict):\n    parts = split(text)\n    name = parse(parts, strict)\n    return lookup(name, table())\n", fetchUser, 0.4, 0.6, true,
		},
		{"another thing", "python", "def send_mail(to, body):\n    transport().deliver(to, body)\n", fetchUser, 0, 0.3, false},
		{"a copy under another name", "python", strings.Replace(fetchUser, "fetch_user", "obtain_person_row", 1), fetchUser, 0.8, 0.9, false},
		{"a class and a function", "python", "class FetchUser:\n    def run(self):\n        return query(1)\n", fetchUser, 0, 0.4, false},
		{"classes of one name", "typescript", "class Cart {\n  add(item) {\n    this.items.push(item);\n  }\n}", "class Cart {\n  add(item) {\n    this.items.push(item);\n  }\n}", 1, 1, false},
		{"an interface and its implementation", "java", "interface Store {\n  void put(String key);\n}", "class Store {\n  void put(String key) { keys.add(key); }\n}", 0, 0.45, false},
	} {
		o := m.Compare(symbol(t, c.language, c.a), symbol(t, c.language, c.b))
		require.True(t, o.Score >= c.low && o.Score <= c.high+1e-9, "%s: %.2f of %+v, want %.2f–%.2f", c.what, o.Score, o, c.low, c.high)
		require.Equal(t, c.otherPurpose, o.OtherPurpose, "%s: %+v", c.what, o)
	}
}

func TestOverlapOfWhatTheIndexKnows(t *testing.T) { // no bodies there
	m := measure(t)
	a, b := sessionevents.Symbol{Name: "RetryPolicy", Kind: "class"}, sessionevents.Symbol{Name: "RetryPolicy", Kind: "class"}
	require.InDelta(t, 0.8, m.Compare(&a, &b).Score, 1e-9, "names that differ in their writing alone")
	b.Name = "RepeatPolicy"
	b.Name = "RetryPolicies"
	require.LessOrEqual(t, m.Compare(&a, &b).Score, 0.7, "other words")
	a, b = sessionevents.Symbol{Name: "load", Kind: "method", Container: "Cart"}, sessionevents.Symbol{Name: "load", Kind: "method", Container: "Order"}
	require.Less(t, m.Compare(&a, &b).Score, 0.75, "methods of two classes")
}

func TestSignatures(t *testing.T) {
	m := measure(t)
	for _, c := range []struct {
		language, a, b string
		want           float64
	}{
		{"python", "(self, user_id: int, *args)", "(user_id, *args)", 1},
		{"python", "(a=1)", "(b=2)", 0},
		{"go", "(ctx context.Context, path string)", "(path string)", 1},
		{"go", "(file string)", "(path string)", 0.5}, // one type, two names
		{"typescript", "(options: { a: number, b: string }, done: (e: Error) => void)", "(options: { a: number, b: string }, done: (e: Error) => void)", 1},
		{"java", "(final String name, int count)", "(String name, int count)", 1},
		{"java", "(Map<String, Integer> totals)", "(Map<String, Integer> totals)", 1},
		{"go", "func f(ctx context.Context, path string) error", "(path string)", 1},
		{"go", "func (c *Client) f(path string) (int, error)", "f(path string)", 1},
		{"python", "def f(user_id: int, done=None):", "(user_id, done)", 1},
		{"typescript", "export const f = async (a: number, b: (x: string) => void): Promise<void>", "(a: number, b: (x: string) => void)", 1},
		{"rust", "(&self, mut buffer: Vec<u8>)", "(buffer: Vec<u8>)", 1},
	} {
		one := sessionevents.Symbol{Name: "f", Kind: "function", Language: c.language, Signature: c.a}
		two := sessionevents.Symbol{Name: "f", Kind: "function", Language: c.language, Signature: c.b}
		part := m.signatures(&one, &two)
		require.True(t, part.Known)
		require.InDelta(t, c.want, part.Value, 0.01, "%s and %s", c.a, c.b)
	}
	require.False(t, m.signatures(&sessionevents.Symbol{Kind: "function", Signature: "()"}, &sessionevents.Symbol{Kind: "function"}).Known)
}

func TestConventions(t *testing.T) {
	m := measure(t)
	for _, name := range []string{
		"main", "__init__", "setUp", "toString", "get_queryset", "handleSubmit", "TestParse", "test_parse", "mock_client",
		"ButtonProps", "render", "GET", "index", "componentDidMount", "ServeHTTP", "should_parse", "generateMetadata", "__enter__", "x",
	} {
		require.True(t, m.ConventionalName(name), name)
	}
	for _, name := range []string{"parse_date_range", "formatCurrency", "RateLimiter", "retryWithBackoff", "EmailService"} {
		require.False(t, m.ConventionalName(name), name)
	}
	for _, file := range []string{
		"tests/a.py", "src/a.test.ts", "pkg/a_test.go", "db/migrations/0001_init.py", "0002_more.py", "api/a_pb2.py", "a.pyi", "src/UserTest.java",
		"README.md", "data.json", "node_modules/x/a.js", "examples/a.go", "types/a.d.ts", "conftest.py",
	} {
		require.True(t, m.ConventionalFile(file), file)
	}
	for _, file := range []string{"src/a.ts", "lib/latest.py", "internal/contest.go", "/tmp/demo/src/a.py"} {
		require.False(t, m.ConventionalFile(file), file)
	}
	for _, file := range []string{"src/index.ts", "a/__init__.py", "app/page.tsx", ".eslintrc.js", "app/[slug].tsx", "utils.py", "date.py"} {
		require.True(t, m.ConventionalFileName(file), file)
	}
	require.False(t, m.ConventionalFileName("src/rateLimiter.ts"))
	require.True(t, m.ConventionalFile("tests/dates.py"))
	require.False(t, m.ConventionalName("parse_date_range"))
	require.False(t, m.ConventionalFile("src/dates.py"))
}

func TestPlaces(t *testing.T) {
	m := measure(t)
	for _, pair := range [][2]string{
		{"plugins/a/run.go", "plugins/b/run.go"},
		{"api/v1/users.ts", "api/v2/users.ts"},
		{"api/users.ts", "api/v2/users.ts"},
		{"src/a.d.ts", "src/a.ts"},
		{"src/a.c", "src/a.h"},
		{"src/net_linux.go", "src/net_linux.s"},
		{"src/lock_unix.go", "src/lock_windows.go"},
		{"src/lock_linux_amd64.go", "src/lock_other.go"},
		{"src/lock.go", "src/lock_windows.go"},
		{"src/a/b.ts", ".worktrees/new-login/src/a/b.ts"},
	} {
		require.True(t, m.Parallel(pair[0], pair[1]), "%v", pair)
		require.True(t, m.Parallel(pair[1], pair[0]), "%v", pair)
	}
	for _, pair := range [][2]string{{"src/utils/date.ts", "src/helpers/date.ts"}, {"src/date.ts", "src/view/date.ts"}, {"a.ts", "b.ts"}, {"src/a.ts", "src/a.ts"}, {"src/lock_file.go", "src/lock_windows.go"}, {"a/lock_unix.go", "b/lock_windows.go"}} {
		require.False(t, m.Parallel(pair[0], pair[1]), "%v", pair)
	}
	require.True(t, registry.SameFile("src/a.ts", "/home/dev/shop/src/a.ts"))
	require.True(t, registry.SameFile("a.ts", "a.ts"))
	require.False(t, registry.SameFile("a.ts", "ba.ts"))
	require.False(t, registry.SameFile("", "a.ts"))

	require.True(t, m.Script("scripts/load.py", ""))
	require.True(t, m.Script("load.py", "if __name__ == \"__main__\":"))
	require.True(t, m.Scratch("reproduce_issue.py"))
	require.False(t, m.Scratch("src/check_totals.py"))
	require.False(t, m.Script("src/load.py", "def load(): pass"))

	require.True(t, m.OtherPackage("client/src/a.ts", "server/src/b.ts"))
	require.True(t, m.OtherPackage("packages/ui/a.ts", "packages/core/a.ts"))
	require.True(t, m.OtherPackage("src/a.py", "/usr/lib/python3/x.py"))
	require.False(t, m.OtherPackage("packages/ui/a.ts", "packages/ui/b/a.ts"))
	require.False(t, m.OtherPackage("src/a.ts", "lib/b.ts"))

	require.True(t, m.Private(&sessionevents.Symbol{Name: "_load", Language: "python", Path: "a.py"}, "b.py"))
	require.True(t, m.Private(&sessionevents.Symbol{Name: "load", Language: "go", Path: "a/a.go"}, "b/b.go"))
	require.False(t, m.Private(&sessionevents.Symbol{Name: "load", Language: "go", Path: "a/a.go"}, "a/b.go"))
	require.False(t, m.Private(&sessionevents.Symbol{Name: "Load", Language: "go", Path: "a/a.go"}, "b/b.go"))
}

// built is a turn that writes symbols.
func built(session string, turn int, symbols ...sessionevents.Symbol) *sessionevents.TurnSegmented {
	out := &sessionevents.TurnSegmented{Session: session, Turn: turn}
	for i, s := range symbols {
		out.Segments = append(out.Segments, sessionevents.Segment{
			Index: i, Kind: sessionevents.SegmentDiff, Path: s.Path, Language: s.Language,
			Diff: &sessionevents.Diff{Op: sessionevents.DiffUpdate}, Symbols: []sessionevents.Symbol{s},
		})
	}
	return out
}

func TestCandidates(t *testing.T) {
	m := measure(t)
	config, err := registry.Load(rules.Default())
	require.NoError(t, err)
	named := func(language, path, name string) sessionevents.Symbol {
		return sessionevents.Symbol{Name: name, Kind: "function", Path: path, Language: language, Signature: "(user_id)"}
	}
	own, peer := registry.New(config), registry.New(config)
	own.Open(&sessionevents.SessionOpened{Session: "s", Codebase: &sessionevents.Codebase{Symbols: []sessionevents.Symbol{named("python", "old/users.py", "fetch_user"), named("go", "users.go", "FetchUser")}}})
	own.Commit(own.Digest(built("s", 1, named("python", "app/users.py", "load_account"), named("python", "app/users.py", "send_mail"))))
	peer.Commit(peer.Digest(built("p", 1, named("python", "lib/people.py", "fetch_user"))))
	turn := built("s", 2, named("python", "app/new.py", "fetch_user"))
	p := &detect.Pass{Turn: turn, Before: own, Additions: own.Digest(turn), Peers: []detect.Peer{{Session: "p", Registry: peer}}}

	found := m.Candidates(p, &p.Additions.Built[0].Item.Symbol)
	require.Len(t, found, 3, "%+v", found)
	require.True(t, slices.IsSortedFunc(found, func(a, b Candidate) int { return int(1000*b.Overlap.Score) - int(1000*a.Overlap.Score) }))
	byPath := map[string]Candidate{}
	for _, c := range found {
		byPath[c.Symbol.Path] = c
	}
	require.False(t, byPath["old/users.py"].InSession)
	require.True(t, byPath["app/users.py"].InSession)
	require.Equal(t, "p", byPath["lib/people.py"].Session)
	require.True(t, byPath["lib/people.py"].InSession)

	gone := &sessionevents.TurnSegmented{Session: "s", Turn: 3, Segments: []sessionevents.Segment{{Kind: sessionevents.SegmentDiff, Path: "app/users.py", Diff: &sessionevents.Diff{Op: sessionevents.DiffDelete}}}}
	own.Commit(own.Digest(gone))
	require.Len(t, m.Candidates(p, &p.Additions.Built[0].Item.Symbol), 2, "what was removed is no candidate")

	same := named("python", "app/users.py", "fetch_user")
	require.True(t, (&Candidate{Built: registry.Built{Symbol: same}}).SamePlace(&same))
}

// Whatever stands in symbols, the measures stay in their ranges.
func TestMeasuresStayInRange(t *testing.T) {
	m := measure(t)
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "(", "(a: b, c=", "fetchUser", "(((", "a,b", "<>,>", "() => {", "v2"}))
	draw := func(t *rapid.T, label string) *sessionevents.Symbol {
		sketch := rapid.Custom(func(t *rapid.T) []uint32 {
			list := rapid.SliceOfNDistinct(rapid.Uint32Range(0, 40), 0, 24, rapid.ID[uint32]).Draw(t, "sketch")
			slices.Sort(list)
			return list
		})
		return &sessionevents.Symbol{
			Name: text.Draw(t, label), Signature: text.Draw(t, "signature"), Container: text.Draw(t, "container"), Path: text.Draw(t, "path"),
			Kind:     rapid.SampledFrom([]string{"", "function", "method", "class", "interface", "type", "constant"}).Draw(t, "kind"),
			Language: rapid.SampledFrom([]string{"", "go", "java", "typescript"}).Draw(t, "language"),
			Shingles: sketch.Draw(t, "shingles"), Calls: sketch.Draw(t, "calls"),
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := draw(t, "a"), draw(t, "b")
		o := m.Compare(a, b)
		for name, v := range map[string]float64{"score": o.Score, "name": o.Name, "signature": o.Signature.Value, "calls": o.Calls.Value, "body": o.Body.Value, "copy": o.Copy} {
			require.True(t, v >= 0 && v <= 1, "%s %f", name, v)
		}
		require.InDelta(t, m.Compare(b, a).Score, o.Score, 0.4, "the order matters for containment alone")
		m.ConventionalName(a.Name)
		m.ConventionalFile(a.Path)
		m.ConventionalFileName(a.Path)
		require.Equal(t, m.Parallel(a.Path, b.Path), m.Parallel(b.Path, a.Path))
		m.Script(a.Path, a.Signature)
		require.Equal(t, m.OtherPackage(a.Path, b.Path), m.OtherPackage(b.Path, a.Path))
	})
}

func TestOneWord(t *testing.T) {
	m := measure(t)
	for name, want := range map[string]bool{"slugify": true, "Debouncer": true, "main": false, "render": false, "go": false, "parse_date": false, "testing": true, "": false, "__init__": false} {
		require.Equal(t, want, m.OneWord(name), name)
		if want {
			require.True(t, m.ConventionalName(name), "%s alone says too little", name)
		}
	}
}
