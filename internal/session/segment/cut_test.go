package segment

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/segment/grammars"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

func toolCall(id, name string, in any) sessionevents.Block {
	raw, err := json.Marshal(in)
	if err != nil {
		panic(err)
	}
	return sessionevents.Block{Type: sessionevents.BlockToolCall, ID: id, Name: name, Input: raw}
}

func result(id, output string) sessionevents.Block {
	return sessionevents.Block{Type: sessionevents.BlockToolResult, ID: id, Output: output}
}

func textBlock(text string) sessionevents.Block {
	return sessionevents.Block{Type: sessionevents.BlockText, Text: text}
}

func cutBlocks(t testing.TB, blocks ...sessionevents.Block) []sessionevents.Segment {
	return segmenter(t).Cut(&sessionevents.Turn{Blocks: blocks}, 1, Options{}).Segments
}

type args map[string]any

func TestCutKeepsWhatTheTurnSays(t *testing.T) {
	turn := &sessionevents.Turn{
		Session: "s", TurnID: "u", Run: "r", Agent: sessionevents.Agent{ID: "a", Kind: "codex"}, Format: "blocks",
		StopReason: "end", Usage: &sessionevents.Usage{InputTokens: 3}, Blocks: []sessionevents.Block{textBlock("hello")},
	}
	cut := segmenter(t).Cut(turn, 7, Options{})
	require.Equal(t, "s/u/r/codex/blocks/end", strings.Join([]string{cut.Session, cut.TurnID, cut.Run, cut.Agent.Kind, cut.Format, cut.StopReason}, "/"))
	require.Equal(t, 7, cut.Turn)
	require.Equal(t, turn.Usage, cut.Usage)
	require.Nil(t, cut.Continuity, "numbering and continuity are ingest's")
}

func TestCutWithoutSyntax(t *testing.T) {
	s, err := New(rules.Default(), nil)
	require.NoError(t, err)
	cut := s.Cut(&sessionevents.Turn{Blocks: []sessionevents.Block{toolCall("a", "Write", args{"file_path": "a.py", "content": "def f(): pass"}), textBlock("```py\nx = 1\n```")}}, 1, Options{})
	require.Empty(t, cut.Segments[0].Language)
	require.Empty(t, cut.Segments[0].Symbols)
	require.Equal(t, sessionevents.SegmentPlan, cut.Segments[1].Kind, "text is prose")
}

// Bounds: nothing is dropped without being counted (EV-3).
func TestBounds(t *testing.T) {
	var many []sessionevents.Block
	for range 510 {
		many = append(many, textBlock("x"))
	}
	cut := segmenter(t).Cut(&sessionevents.Turn{Blocks: many}, 1, Options{})
	require.Len(t, cut.Segments, 500)
	require.Equal(t, []string{"10 segments over the limit of 500"}, cut.Unsupported)

	long := cutBlocks(t, textBlock(strings.Repeat("ä", 40_000)))[0]
	require.Equal(t, 65_536, long.Length)
	require.Equal(t, long.Length, len(long.Text))

	diff := cutBlocks(t, toolCall("", "Write", args{"file_path": "a.txt", "content": strings.Repeat("line\n", 4100)}))[0].Diff
	require.Equal(t, 100, diff.Truncated)
	require.Len(t, diff.Added(), 4000)

	two := cutBlocks(t, toolCall("", "MultiEdit", args{"file_path": "a", "edits": []args{
		{"old_string": "", "new_string": strings.Repeat("l\n", 4000)}, {"old_string": "", "new_string": "more"}, {"old_string": "", "new_string": "more"},
	}}))[0].Diff
	require.Equal(t, 2, two.Truncated)
	require.Len(t, two.Hunks, 1)
}

func TestLongInputIsShortenedButHashedWhole(t *testing.T) {
	long := strings.Repeat("é\"", 5000)
	first := cutBlocks(t, toolCall("", "mystery", args{"a": long, "b": 1, "c": []string{long}, "d": "short"}))[0].Tool
	require.LessOrEqual(t, len(first.Input), 4096+1024)
	var back map[string]any
	require.NoError(t, json.Unmarshal(first.Input, &back))
	require.Equal(t, "short", back["d"])
	require.Contains(t, back["a"], "bytes more]")
	require.Contains(t, back["c"], "bytes]")
	second := cutBlocks(t, toolCall("", "mystery", args{"a": long + "!", "b": 1, "c": []string{long}, "d": "short"}))[0].Tool
	require.NotEqual(t, first.InputHash, second.InputHash)
}

func TestInputHashIsCanonical(t *testing.T) {
	hash := func(raw string) string {
		return cutBlocks(t, sessionevents.Block{Type: sessionevents.BlockToolCall, Name: "x", Input: json.RawMessage(raw)})[0].Tool.InputHash
	}
	require.Equal(t, hash(`{"a":1,"b":{"c":"é","d":[1,"x"]}}`), hash(`{ "b": {"d":[1, "x"], "c":"\u00e9"}, "a": 1 }`))
	for _, other := range []string{`{"a":1,"b":{"c":"e","d":[1,"x"]}}`, `{"a":"1"}`, `{"a":1}`, `[]`, `"a"`, `{"b":{"c":"é","d":["x",1]},"a":1}`} {
		require.NotEqual(t, hash(`{"a":1,"b":{"c":"é","d":[1,"x"]}}`), hash(other), other)
	}
	require.Len(t, hash(`{}`), 16)
}

func TestPaths(t *testing.T) {
	cases := []struct{ workspace, path, want string }{
		{"/w/p", "/w/p/src/a.go", "src/a.go"},
		{"/w/p/", "/w/p/./src/../a.go", "a.go"},
		{"/w/p", "/w/pq/a.go", "/w/pq/a.go"},
		{"/w/p", "/w/p", "."},
		{"/w/p", "src/./a.go", "src/a.go"},
		{"", "/w/p/a.go", "/w/p/a.go"},
		{"/", "/a.go", "/a.go"},
		{`C:\Users\x\p`, `c:\users\x\p\src\a.go`, "src/a.go"},
		{"", `src\a.go`, "src/a.go"},
		{"", "file:///w/a.go", "/w/a.go"},
		{"", `a/b\c.go`, `a/b\c.go`},
		{"/w", "", ""},
	}
	for _, c := range cases {
		b := builder{workspace: cleanWorkspace(c.workspace)}
		require.Equal(t, c.want, b.path(c.path), "%s in %s", c.path, c.workspace)
	}
}

func TestResultDigest(t *testing.T) {
	output := "ä" + strings.Repeat("x\n", 500) + "ü"
	digest := cutBlocks(t, toolCall("a", "Read", args{"path": "f"}), result("a", output))[0].Result
	require.Equal(t, len(output), digest.Bytes)
	require.Equal(t, 501, digest.Lines)
	require.LessOrEqual(t, len(digest.Head), 400)
	require.True(t, strings.HasPrefix(output, digest.Head))
	require.True(t, strings.HasSuffix(output, digest.Tail))
	require.Len(t, digest.Hash, 16)

	short := cutBlocks(t, toolCall("a", "Read", args{"path": "f"}), result("a", "short"))[0].Result
	require.Equal(t, "short", short.Head)
	require.Empty(t, short.Tail)
	require.Nil(t, cutBlocks(t, toolCall("a", "Read", args{"path": "f"}))[0].Result)
}

func TestDigestHashIgnoresHeaderAndVolatileParts(t *testing.T) {
	hash := func(output string) string {
		return cutBlocks(t, toolCall("a", "exec_command", args{"cmd": "ls"}), result("a", output))[0].Result.Hash
	}
	first := hash("Chunk ID: aaaa\nWall time: 1 seconds\nProcess exited with code 0\nOutput:\nok 0.01s")
	require.Equal(t, first, hash("Chunk ID: b777\nWall time: 2 seconds\nProcess exited with code 0\nOutput:\nok 0.99s"))
	require.NotEqual(t, first, hash("Chunk ID: aaaa\nWall time: 1 seconds\nProcess exited with code 0\nOutput:\nno 0.01s"))
}

func TestExitCodesFromText(t *testing.T) {
	cases := map[string]int{
		"Exit code 2\nboom": 2, "Exit code: 127": 127, "Wall time: 1\nProcess exited with code 101\nOutput:\n": 101,
		"<returncode>1</returncode>\n<output>\nx</output>": 1, `{"output":"x","metadata":{"exit_code":3}}`: 3,
		"out\n[Command finished with exit code 4]": 4, "Exit code -1": -1,
	}
	for output, want := range cases {
		seg := cutBlocks(t, toolCall("a", "bash", args{"command": "make"}), result("a", output))[0]
		require.NotNil(t, seg.Result.ExitCode, output)
		require.Equal(t, want, *seg.Result.ExitCode, output)
	}
	for _, output := range []string{"the docs say: Exit code 2 means usage", "", "Exit code none"} {
		require.Nil(t, cutBlocks(t, toolCall("a", "bash", args{"command": "make"}), result("a", output))[0].Result.ExitCode, output)
	}
	notShell := cutBlocks(t, toolCall("a", "Read", args{"path": "x"}), result("a", "Exit code 2"))
	require.Nil(t, notShell[0].Result.ExitCode, "a file may say so")
	require.Len(t, notShell, 1)
}

func errorOf(t *testing.T, command, output string, isError bool) *sessionevents.ErrorInfo {
	r := result("a", output)
	r.IsError = &isError
	for _, seg := range cutBlocks(t, toolCall("a", "Bash", args{"command": command}), r) {
		if seg.Kind == sessionevents.SegmentError {
			return seg.Error
		}
	}
	return nil
}

func TestErrorSignatures(t *testing.T) {
	require.Equal(t, "panic: boom at ‹address›", errorOf(t, "go run .", "Exit code 2\npanic: boom at 0xc000123456\n\ngoroutine 1 [running]:", true).Signature)
	require.Equal(t, "exit code 1", errorOf(t, "make", "Exit code 1", true).Signature)
	require.Equal(t, "failed without a word", errorOf(t, "make", "", true).Signature)
	require.Equal(t, errorOf(t, "go vet", "Exit code 1\n./a.go:3:5: undefined: x", true).Signature, errorOf(t, "go vet", "Exit code 1\n./a.go:9:1: undefined: x", true).Signature)
	require.LessOrEqual(t, len(errorOf(t, "make", "Error: "+strings.Repeat("ü", 900), true).Signature), 200)
}

func TestTransientErrors(t *testing.T) {
	for line, want := range map[string]bool{
		"HTTP 429 Too Many Requests": true, "Error: connect ECONNREFUSED 127.0.0.1:5432": true, "read: operation timed out": true,
		"error: 503": true, "Error: expected 4290 got 1": false, "Error: v1.429.0 is bad": false, "assert failed": false,
	} {
		require.Equal(t, want, errorOf(t, "make", line, true).Transient, line)
	}
}

// Precision of errors known by output only (SW-3).
func TestOutputErrors(t *testing.T) {
	cases := []struct {
		command, output string
		want            bool
	}{
		{"go test ./... | tail", "--- FAIL: TestA (0.1s)\nFAIL", true},
		{"python run.py", "Traceback (most recent call last):\n  File \"run.py\"\nKeyError: 'a'", true},
		{"npm run build || true", "src/a.ts(1,2): error TS2304: Cannot find name 'x'.", true},
		{"cat a.log", "panic: x", false},
		{"git log", "fatal: not really", false},
		{"rg 'FAIL'", "--- FAIL: TestA", false},
		{"gh run view 1 --log-failed", "--- FAIL: TestA", false},
		{"go test ./...", "ok  \tp\t0.1s\n0 failed", false},
		{"cat notes.md && go test ./...", "Error: how to handle it\nok p 0.1s", false},
		{"cat notes.md && go test ./...", "notes\n--- FAIL: TestA (0.1s)", true},
		{"echo 'Error: x'", "Error: x", false},
	}
	for _, c := range cases {
		got := errorOf(t, c.command, c.output, false)
		require.Equal(t, c.want, got != nil, "%s => %s", c.command, c.output)
		if got != nil {
			require.Equal(t, 0.6, got.Confidence)
		}
	}
}

func TestSearchWithoutMatchIsNoError(t *testing.T) {
	require.Nil(t, errorOf(t, "rg nothing src", "Exit code 1", true))
	require.NotNil(t, errorOf(t, "rg nothing src", "Exit code 2\nrg: src: No such file", true))
	require.NotNil(t, errorOf(t, "make", "Exit code 1", true))
}

func TestChangedSymbolsAreNotMade(t *testing.T) {
	seg := cutBlocks(t, toolCall("", "Edit", args{
		"file_path": "a.py", "old_string": "def f(x):\n    return x\n", "new_string": "def f(x, y):\n    return x\n\n\ndef g(z):\n    return z\n",
	}))[0]
	require.Len(t, seg.Symbols, 1)
	require.Equal(t, "g", seg.Symbols[0].Name)
	require.Equal(t, "a.py", seg.Symbols[0].Path)
}

func TestLearnsDependenciesFromManifests(t *testing.T) {
	for file, output := range map[string]string{
		"go.mod":       "     1→module x.org/y\n     2→require gorm.io/gorm v1.2.3\n",
		"package.json": "{\n  \"dependencies\": {\n    \"axios\": \"^1.0.0\"\n  }\n}\n",
	} {
		seg := cutBlocks(t, toolCall("a", "Read", args{"file_path": file}), result("a", output))[0]
		require.Len(t, seg.Imports, 1, file)
	}
	require.Empty(t, cutBlocks(t, toolCall("a", "Read", args{"file_path": "notes.txt"}), result("a", "requests==1.0\n"))[0].Imports)
}

func TestLearnsFromFilesRead(t *testing.T) {
	for _, output := range []string{"     1→import os\n     2→def f(x):\n     3→    return x\n", "import os\ndef f(x):\n    return x\n", "1\timport os\n2\tdef f(x):\n3\t    return x\n"} {
		seg := cutBlocks(t, toolCall("a", "Read", args{"file_path": "a.py"}), result("a", output))[0]
		require.Len(t, seg.Symbols, 1, output)
		require.Equal(t, 2, seg.Symbols[0].Line)
		require.Equal(t, []string{"os"}, seg.Imports)
	}
	require.Empty(t, cutBlocks(t, toolCall("a", "Bash", args{"command": "cat a.py; make"}), result("a", "def f(x):\n"))[0].Symbols)
	require.NotEmpty(t, cutBlocks(t, toolCall("a", "Bash", args{"command": "cat a.py"}), result("a", "def f(x):\n    return 1\n"))[0].Symbols)
}

// Every tool name of the table has the canonical tool it is listed under.
func TestToolNames(t *testing.T) {
	table := segmenter(t).tools
	for name, want := range map[string]sessionevents.CanonicalTool{
		"Read": sessionevents.ToolRead, "read_file": sessionevents.ToolRead, "MultiEdit": sessionevents.ToolEdit, "apply_patch": sessionevents.ToolEdit,
		"Write": sessionevents.ToolWrite, "exec_command": sessionevents.ToolShell, "local_shell": sessionevents.ToolShell, "BashOutput": sessionevents.ToolPoll,
		"Grep": sessionevents.ToolSearch, "Glob": sessionevents.ToolSearch, "WebFetch": sessionevents.ToolFetch, "TodoWrite": sessionevents.ToolTodo,
		"Task": sessionevents.ToolAgent, "AskUserQuestion": sessionevents.ToolAsk, "mcp__fs__read_file": sessionevents.ToolRead, "mcp__x__create_issue": sessionevents.ToolOther,
		"bash": sessionevents.ToolShell, "READ-FILE": sessionevents.ToolRead, "": sessionevents.ToolOther,
	} {
		require.Equal(t, want, table.lookup(name).canonical(readInput(nil)), name)
	}
	stdin := table.lookup("write_stdin")
	require.Equal(t, sessionevents.ToolPoll, stdin.canonical(readInput(json.RawMessage(`{"chars":""}`))))
	require.Equal(t, sessionevents.ToolShell, stdin.canonical(readInput(json.RawMessage(`{"chars":"y\n"}`))))
}

func TestHarnessPatchOutranksTheInput(t *testing.T) {
	r := result("a", "ok")
	r.Patch = []sessionevents.FilePatch{{Path: "a.py", Op: sessionevents.DiffUpdate, Hunks: []sessionevents.Hunk{{OldStart: 41, NewStart: 41, Lines: []string{"-x", "+y"}}}}}
	diff := cutBlocks(t, toolCall("a", "Edit", args{"file_path": "a.py", "old_string": "x", "new_string": "y"}), r)[0].Diff
	require.Equal(t, []sessionevents.Line{{Number: 41, Text: "y"}}, diff.Added())

	created := result("a", "ok")
	created.Patch = []sessionevents.FilePatch{{Path: "n.py", Op: sessionevents.DiffCreate}}
	diff = cutBlocks(t, toolCall("a", "Write", args{"file_path": "n.py", "content": "x\ny"}), created)[0].Diff
	require.Equal(t, []sessionevents.Line{{Number: 1, Text: "x"}, {Number: 2, Text: "y"}}, diff.Added())
	require.Nil(t, created.Patch[0].Hunks, "the input is not changed")
}

func FuzzCut(f *testing.F) {
	s := segmenter(f)
	f.Add("text", "I'll do\n```py\nx = 1\n```\nRead(a.go)\n--- FAIL: x\n- [ ] t", `{"a":1}`, "Bash", "Exit code 1\nx")
	f.Add("tool_call", "", `{"command":"cat > a <<'E'\nx\nE","edits":[{"old_string":"a","new_string":"b"}]}`, "Edit", "panic: x")
	f.Add("user", "<system-reminder>x</system-reminder>hi<command-args>", `"*** Begin Patch\n*** Add File: a\n+x"`, "apply_patch", "{\"exit_code\": 1")
	f.Add("thinking", "~~~\n", `{"todos":[{"content":"x"}],"view_range":[1,2],"paths":["a"]}`, "TodoWrite", "\x1b[31mError: 429")
	f.Fuzz(func(t *testing.T, kind, text, in, name, output string) {
		turn := &sessionevents.Turn{Blocks: []sessionevents.Block{
			{Type: sessionevents.BlockType(kind), Text: text},
			{Type: sessionevents.BlockToolCall, ID: "a", Name: name, Input: json.RawMessage(in)},
			{Type: sessionevents.BlockToolResult, ID: "a", Output: output},
		}}
		if kind == "markdown" {
			turn = &sessionevents.Turn{Text: text}
		}
		cut := s.Cut(turn, 1, Options{Workspace: "/w"})
		requireSound(t, turn, cut)
		require.Equal(t, cut, s.Cut(turn, 1, Options{Workspace: "/w"}), "deterministic")
	})
}

func FuzzMarkdown(f *testing.F) {
	s := segmenter(f)
	f.Add("# a\n\nI'll\n\n- [x] b\n  ```go\n  x\n  ```\n> q\n\nBash(ls)\n\npanic: x\n\n    at f (a.js:1:2)\n\n```\nTraceback (most recent call last):\n```")
	f.Add("x(a=1, b='2')\n--- FAIL: y\ngoroutine 1 [running]:\n```diff\n@@\n-a\n+b")
	f.Fuzz(func(t *testing.T, text string) {
		turn := &sessionevents.Turn{Format: "markdown", Text: text}
		requireSound(t, turn, s.Cut(turn, 1, Options{}))
	})
}

// mixedTurn is about 18 KB: words, a read of 8 KB, an edit, a test run of 4 KB,
// a search.
func mixedTurn() *sessionevents.Turn {
	code := strings.Repeat("    10→\tif err := run(ctx, item); err != nil {\n    11→\t\treturn fmt.Errorf(\"run: %w\", err)\n    12→\t}\n", 75)
	tests := strings.Repeat("=== RUN   TestServer/start\n--- PASS: TestServer/start (0.03s)\nsome line of output\n", 50)
	var before []string
	for i := range 60 {
		before = append(before, fmt.Sprintf("\tx%d := old(%d, \"v\")", i, i))
	}
	after := slices.Clone(before)
	after[10], after[40] = "\tx10 := renewed()", "\tx40 := renewed()\n\tmore()"
	no := false
	read, ran, edited, searched := result("a", code), result("c", tests), result("b", "The file a.go has been updated."), result("d", strings.Repeat("src/a.go:10:func Parse(x string) error {\n", 30))
	ran.IsError, read.IsError, edited.IsError, searched.IsError = &no, &no, &no, &no
	return &sessionevents.Turn{Blocks: []sessionevents.Block{
		{Type: sessionevents.BlockThinking, Text: strings.Repeat("The parser needs a guard here, because the lexer may return nothing at all. ", 14)},
		textBlock("I'll read the parser first, then fix it.\n\n- read\n- fix\n"),
		toolCall("a", "Read", args{"file_path": "/w/src/a.go"}),
		toolCall("b", "Edit", args{"file_path": "/w/src/a.go", "old_string": strings.Join(before, "\n"), "new_string": strings.Join(after, "\n")}),
		toolCall("c", "Bash", args{"command": "cd /w && go test ./... 2>&1 | tail -50", "description": "Run the tests"}),
		toolCall("d", "Grep", args{"pattern": "func Parse", "path": "/w/src"}),
		read, edited, ran, searched,
	}}
}

func BenchmarkCut(b *testing.B) {
	turn := mixedTurn()
	for name, syntax := range map[string]Syntax{"symbols": grammars.Linked{}, "plain": nil} {
		s, err := New(rules.Default(), syntax)
		require.NoError(b, err)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(s.Cut(turn, 1, Options{}).Bytes))
			for b.Loop() {
				s.Cut(turn, 1, Options{Workspace: "/w"})
			}
		})
	}
}

// The baseline: a Markdown parser over all of the turn's words, as a segmenter
// would do that always parses.
func BenchmarkGoldmarkAlways(b *testing.B) {
	p := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser()
	words := []byte(canonicalText(mixedTurn()))
	b.SetBytes(int64(len(words)))
	for b.Loop() {
		p.Parse(text.NewReader(words))
	}
}

func ExampleText() {
	seg := &sessionevents.Segment{Kind: sessionevents.SegmentDiff, Diff: &sessionevents.Diff{Hunks: []sessionevents.Hunk{{Lines: []string{" a", "+b", "-c", "+d"}}}}}
	fmt.Printf("%q\n", Text(seg))
	// Output: "b\nd"
}
