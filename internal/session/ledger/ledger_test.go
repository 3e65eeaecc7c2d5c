package ledger_test

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	_ "github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern/re2" // as services do
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/ledger"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// player folds synthetic turns.
type player struct {
	t        require.TestingT
	config   *ledger.Config
	registry *registry.Registry
	ledger   *ledger.Ledger
	turn     int
}

// loaded is compiled once: that takes longer than the tests.
var loaded = sync.OnceValues(func() (*ledger.Config, registry.Config) {
	config, err := ledger.Load(rules.Default())
	if err != nil {
		panic(err)
	}
	known, err := registry.Load(rules.Default())
	if err != nil {
		panic(err)
	}
	return config, known
})

func newPlayer(t require.TestingT) *player {
	config, known := loaded()
	return &player{t: t, config: config, registry: registry.New(known), ledger: &ledger.Ledger{}}
}

func (p *player) play(segments ...sessionevents.Segment) *ledger.Turn {
	p.turn++
	for i := range segments {
		segments[i].Index = i
	}
	turn := &sessionevents.TurnSegmented{Session: "s", Turn: p.turn, Segments: segments}
	additions := p.registry.Digest(turn)
	before, err := json.Marshal(p.ledger)
	require.NoError(p.t, err)
	got := p.config.Digest(p.ledger, turn, p.registry, additions)
	after, err := json.Marshal(p.ledger)
	require.NoError(p.t, err)
	require.Equal(p.t, string(before), string(after), "the ledger before the turn stays as it was")
	p.registry.Commit(additions)
	p.ledger = got.After
	return got
}

func says(text string) sessionevents.Segment {
	return sessionevents.Segment{Kind: sessionevents.SegmentPlan, Text: text}
}

func person(text string) sessionevents.Segment {
	return sessionevents.Segment{Kind: sessionevents.SegmentUser, Text: text}
}

func edits(path string) sessionevents.Segment {
	return sessionevents.Segment{
		Kind: sessionevents.SegmentDiff, Path: path, Tool: &sessionevents.ToolCall{Name: "Edit", Canonical: sessionevents.ToolEdit},
		Diff: &sessionevents.Diff{Op: sessionevents.DiffUpdate, Hunks: []sessionevents.Hunk{{Lines: []string{"-a := 1", "+a := 2"}}}},
	}
}

func runs(command string, checks ...sessionevents.Check) sessionevents.Segment {
	return sessionevents.Segment{
		Kind: sessionevents.SegmentTool, Tool: &sessionevents.ToolCall{Name: "Bash", Canonical: sessionevents.ToolShell, Command: command},
		Result: &sessionevents.ResultDigest{Bytes: 2, Head: "ok"}, Checks: checks,
	}
}

func tests(result sessionevents.CheckResult, change func(*sessionevents.Check)) sessionevents.Check {
	c := sessionevents.Check{Kind: sessionevents.CheckTest, Runner: "go test", Scope: []string{"./..."}, Result: result}
	if change != nil {
		change(&c)
	}
	return c
}

// What is missing cannot be held against a session of which calls or results could not be
// read (IN-1): they may be what is missing. What shows after them counts as before.
func TestClaimsOfASessionThatCouldNotBeReadWhole(t *testing.T) {
	unread := func(p *player, name string) {
		turn := &sessionevents.TurnSegmented{Session: "s", Turn: p.turn + 1, Unsupported: []string{name}}
		p.turn++
		p.ledger = p.config.Digest(p.ledger, turn, p.registry, p.registry.Digest(turn)).After
	}
	failed := runs("go test ./...", tests(sessionevents.CheckFailed, nil))
	for name, c := range map[string]struct {
		play    func(*player)
		verdict sessionevents.Verdict
	}{
		"nothing ran, all was read": {func(p *player) { p.play(edits("a.go")) }, sessionevents.Unproven},
		"nothing ran, a note was not": {
			func(p *player) { p.play(edits("a.go")); unread(p, "record note") },
			sessionevents.Unproven,
		},
		"nothing ran, a call was not": {
			func(p *player) { unread(p, "call shell"); p.play(edits("a.go")) },
			sessionevents.NotCheckable,
		},
		"nothing ran, a result was not": {
			func(p *player) { p.play(edits("a.go")); unread(p, "result shell") },
			sessionevents.NotCheckable,
		},
		"failed, then a call unread": {
			func(p *player) { p.play(edits("a.go")); p.play(failed); unread(p, "call shell") },
			sessionevents.NotCheckable,
		},
		"a call unread, and then failed": {
			func(p *player) { p.play(edits("a.go")); unread(p, "call shell"); p.play(failed) },
			sessionevents.Contradicted,
		},
	} {
		p := newPlayer(t)
		c.play(p)
		got := p.play(says("All tests pass."))
		require.Len(t, got.Claims, 1, name)
		require.Equal(t, c.verdict, got.Claims[0].Verdict, "%s: %s", name, got.Claims[0].Why)
	}
}

// Which check shows that tests pass (PD-2).
func TestVerdictOfATestClaim(t *testing.T) {
	filtered := func(c *sessionevents.Check) { c.Filters = []string{"-run TestOne"} }
	for name, test := range map[string]struct {
		check   *sessionevents.Check
		claim   string
		verdict sessionevents.Verdict
		gap     string
	}{
		"passed":          {ptr(tests(sessionevents.CheckPassed, nil)), "All tests pass.", sessionevents.Proven, ""},
		"failed":          {ptr(tests(sessionevents.CheckFailed, nil)), "All tests pass.", sessionevents.Contradicted, ledger.GapFailed},
		"ran nothing":     {ptr(tests(sessionevents.CheckNothing, nil)), "All tests pass.", sessionevents.Contradicted, ledger.GapNothing},
		"cut off":         {ptr(tests(sessionevents.CheckCut, nil)), "All tests pass.", sessionevents.Unproven, ledger.GapCut},
		"unknown":         {ptr(tests(sessionevents.CheckUnknown, nil)), "All tests pass.", sessionevents.NotCheckable, ""},
		"filtered":        {ptr(tests(sessionevents.CheckPassed, filtered)), "All tests pass.", sessionevents.Unproven, ledger.GapNarrow},
		"all of some":     {ptr(tests(sessionevents.CheckPassed, filtered)), "All 3 new tests pass.", sessionevents.Proven, ""},
		"filtered, asked": {ptr(tests(sessionevents.CheckPassed, filtered)), "The new test passes.", sessionevents.Proven, ""},
		"other package": {
			ptr(tests(sessionevents.CheckPassed, func(c *sessionevents.Check) { c.Scope = []string{"./order/..."} })),
			"All tests pass.", sessionevents.Unproven, ledger.GapNarrow,
		},
		"its package": {
			ptr(tests(sessionevents.CheckPassed, func(c *sessionevents.Check) { c.Scope = []string{"./cart/..."} })),
			"All tests pass.", sessionevents.Proven, "",
		},
		"only a linter": {&sessionevents.Check{Kind: sessionevents.CheckLint, Result: sessionevents.CheckPassed}, "All tests pass.", sessionevents.Contradicted, ledger.GapNever},
		"none":          {nil, "All tests pass.", sessionevents.Unproven, ledger.GapNever},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlayer(t)
			p.play(person("Take the discount off."), edits("cart/cart.go"))
			if test.check != nil {
				p.play(runs("go test", *test.check))
			}
			got := p.play(says(test.claim))
			require.Len(t, got.Claims, 1)
			require.Equal(t, sessionevents.ClaimTests, got.Claims[0].Kind)
			require.Equal(t, test.verdict, got.Claims[0].Verdict, got.Claims[0].Why)
			require.Equal(t, test.gap, got.Claims[0].Gap)
			require.True(t, got.Claims[0].Final)
		})
	}
}

// A change after the run makes it worthless; a comment, a document, a scratch file or a
// file that is made and removed again does not.
func TestChangesThatCount(t *testing.T) {
	gone := edits("try.go")
	gone.Diff = &sessionevents.Diff{Op: sessionevents.DiffDelete}
	made := edits("try.go")
	made.Diff = &sessionevents.Diff{Op: sessionevents.DiffCreate, Hunks: []sessionevents.Hunk{{Lines: []string{"+package main"}}}}
	comment := edits("cart.go")
	comment.Diff.Hunks[0].Lines = []string{"-// one", "+// two"}
	failed := edits("cart.go")
	failed.Diff.Failed = true
	for name, test := range map[string]struct {
		change  []sessionevents.Segment
		verdict sessionevents.Verdict
	}{
		"code":          {[]sessionevents.Segment{edits("cart.go")}, sessionevents.Unproven},
		"settings":      {[]sessionevents.Segment{edits("config.yaml")}, sessionevents.Unproven},
		"tests":         {[]sessionevents.Segment{edits("cart_test.go")}, sessionevents.Unproven},
		"documents":     {[]sessionevents.Segment{edits("README.md")}, sessionevents.Proven},
		"comments":      {[]sessionevents.Segment{comment}, sessionevents.Proven},
		"scratch":       {[]sessionevents.Segment{edits("/tmp/a.go")}, sessionevents.Proven},
		"failed edit":   {[]sessionevents.Segment{failed}, sessionevents.Proven},
		"made and gone": {[]sessionevents.Segment{made, gone}, sessionevents.Proven},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlayer(t)
			p.play(person("Go on."), edits("order.go"))
			p.play(runs("go test ./...", tests(sessionevents.CheckPassed, nil)))
			p.play(test.change...)
			got := p.play(says("All tests pass."))
			require.Len(t, got.Claims, 1)
			require.Equal(t, test.verdict, got.Claims[0].Verdict, got.Claims[0].Why)
		})
	}
}

// Plans, questions, conditions and quotes claim nothing (PD-1).
func TestWhatClaims(t *testing.T) {
	p := newPlayer(t)
	for text, kinds := range map[string]string{
		"All tests pass.":                         "tests",
		"✅ All unit tests pass":                   "tests",
		"The tests are passing now.":              "tests",
		"All tests pass and lint is clean.":       "tests lint",
		"The build succeeds.":                     "build",
		"Fixed!":                                  "works",
		"The bug is fixed.":                       "works",
		"It now works correctly.":                 "works",
		"Done.":                                   "done",
		"The implementation is complete.":         "done",
		"The branch is ready to merge.":           "done",
		"Found the root cause: the cache.":        "cause",
		"These failures are pre-existing.":        "excuse",
		"I'll make sure all tests pass.":          "",
		"Do all tests pass?":                      "",
		"If all tests pass, it is done.":          "",
		"The tests do not pass.":                  "",
		"Let me check that the build succeeds.":   "",
		"The log says \"all tests pass\".":        "",
		"The function returns the root of a tree": "",
		"You can run the tests when it is done.":  "",
	} {
		got := ""
		for i, c := range p.play(says(text)).Claims {
			if i > 0 {
				got += " "
			}
			got += string(c.Kind)
		}
		require.Equal(t, kinds, got, text)
	}
}

// The ledger stays within its limits and the same turns give the same bytes, live and from
// its stored form (EV-2).
func TestBoundedAndStored(t *testing.T) {
	config, _ := loaded()
	texts := []string{"All tests pass.", "Done.", "It failed.", "Run it?", "1. Add a test\n2. Go on"}
	rapid.Check(t, func(r *rapid.T) {
		live, stored := newPlayer(t), newPlayer(t)
		for range rapid.IntRange(1, 60).Draw(r, "turns") {
			var segments []sessionevents.Segment
			for range rapid.IntRange(1, 4).Draw(r, "segments") {
				switch rapid.IntRange(0, 4).Draw(r, "kind") {
				case 0:
					segments = append(segments, says(rapid.SampledFrom(texts).Draw(r, "text")))
				case 1:
					segments = append(segments, edits(fmt.Sprintf("f%d.go", rapid.IntRange(0, 300).Draw(r, "file"))))
				case 2:
					segments = append(segments, runs("go test ./...", tests(rapid.SampledFrom([]sessionevents.CheckResult{"passed", "failed", "cut"}).Draw(r, "result"), nil)))
				case 3:
					segments = append(segments, person(rapid.SampledFrom(texts).Draw(r, "text")))
				case 4:
					todo := says("")
					todo.Kind, todo.Todo = sessionevents.SegmentTodo, []sessionevents.TodoItem{{Text: fmt.Sprint("Do ", rapid.IntRange(0, 90).Draw(r, "item")), Status: "completed"}}
					segments = append(segments, todo)
				}
			}
			one, two := live.play(segments...), stored.play(segments...)
			a, err := json.Marshal(one.Changes())
			require.NoError(r, err)
			b, err := json.Marshal(two.Changes())
			require.NoError(r, err)
			require.Equal(r, string(a), string(b))
			data, err := json.Marshal(stored.ledger)
			require.NoError(r, err)
			stored.ledger = &ledger.Ledger{}
			require.NoError(r, json.Unmarshal(data, stored.ledger))
			require.LessOrEqual(r, len(live.ledger.Checks), config.Limits.Checks)
			require.LessOrEqual(r, len(live.ledger.Files), config.Limits.Files)
			require.LessOrEqual(r, len(live.ledger.Claims), config.Limits.Claims)
			require.LessOrEqual(r, len(live.ledger.Promises), config.Limits.Promises)
		}
	})
}

func ptr[T any](v T) *T { return &v }

// A numbered request that the session works on is open no longer, one that it never names
// stays open, and one that names nothing cannot be followed.
func TestRequestsThatAreWorkedOn(t *testing.T) {
	p := newPlayer(t)
	p.play(sessionevents.Segment{Kind: sessionevents.SegmentUser, Text: "1. Write the notes to docs/notes.md\n2. Review all of it thoroughly\n3. Drop `legacyRates` from main.go\n"})
	p.play(sessionevents.Segment{Kind: sessionevents.SegmentPlan, Text: "docs/notes.md has the notes."})
	status := map[string]sessionevents.TodoStatus{}
	for _, promise := range p.ledger.Promises {
		status[promise.Text] = promise.Status
	}
	require.Equal(t, map[string]sessionevents.TodoStatus{
		"Write the notes to docs/notes.md": sessionevents.TodoInProgress,
		"Review all of it thoroughly":      sessionevents.TodoInProgress,
		"Drop `legacyRates` from main.go":  sessionevents.TodoPending,
	}, status)
}
