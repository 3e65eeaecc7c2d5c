package ledger_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/ledger"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

func state(path string, exists bool) sessionevents.ObservedPath {
	return sessionevents.ObservedPath{Path: path, Exists: exists}
}

func inGit(path string, changed bool) sessionevents.ObservedPath {
	return sessionevents.ObservedPath{Path: path, Exists: true, Tracked: ptr(true), Changed: &changed}
}

// observes folds a look at the workspace, as the evaluator does.
func (p *player) observes(o *sessionevents.WorkspaceObserved) {
	next := p.ledger.Observe(o)
	p.ledger = &next
}

// What a look at the workspace shows outranks the transcript (JD-13, JD-20), where it can decide.
func TestTheWorkspaceOutranksTheTranscript(t *testing.T) {
	works := func(command, output string, code int) sessionevents.Segment {
		s := runs(command)
		s.Result.Head, s.Result.ExitCode = output, &code
		return s
	}
	creates := func(path string) sessionevents.Segment {
		s := edits(path)
		s.Diff = &sessionevents.Diff{Op: sessionevents.DiffCreate, Hunks: []sessionevents.Hunk{{Lines: []string{"+package a"}}}}
		return s
	}
	for name, test := range map[string]struct {
		did     []sessionevents.Segment
		seen    sessionevents.WorkspaceObserved
		claim   string
		verdict sessionevents.Verdict
		gap     string
	}{
		"made and there":         {[]sessionevents.Segment{creates("tools/sum.go")}, sessionevents.WorkspaceObserved{Paths: []sessionevents.ObservedPath{state("tools/sum.go", true)}}, "Created `tools/sum.go`.", sessionevents.Proven, ""},
		"made, and not there":    {[]sessionevents.Segment{creates("tools/sum.go")}, sessionevents.WorkspaceObserved{Paths: []sessionevents.ObservedPath{state("tools/sum.go", false)}}, "Created `tools/sum.go`.", sessionevents.Contradicted, ledger.GapAbsent},
		"made by a command":      {[]sessionevents.Segment{works("./generate.sh", "ok", 0)}, sessionevents.WorkspaceObserved{Paths: []sessionevents.ObservedPath{state("api/types.ts", true)}}, "Generated `api/types.ts`.", sessionevents.Proven, ""},
		"made and removed again": {[]sessionevents.Segment{creates("repro.go"), works("rm repro.go", "", 0)}, sessionevents.WorkspaceObserved{Paths: []sessionevents.ObservedPath{state("repro.go", false)}}, "Created `repro.go`.", sessionevents.Proven, ""},
		"another of that name":   {[]sessionevents.Segment{creates("a/main.go")}, sessionevents.WorkspaceObserved{Paths: []sessionevents.ObservedPath{state("a/main.go", true), state("b/main.go", false)}}, "Created `main.go`.", sessionevents.Proven, ""},
		"removed and gone":       {[]sessionevents.Segment{works("rm old/cart.js", "", 0)}, sessionevents.WorkspaceObserved{Paths: []sessionevents.ObservedPath{state("old/cart.js", false)}}, "Deleted `old/cart.js`.", sessionevents.Proven, ""},
		"removed, still there":   {[]sessionevents.Segment{works("rm old/cart.js || true", "", 0)}, sessionevents.WorkspaceObserved{Paths: []sessionevents.ObservedPath{state("old/cart.js", true)}}, "Deleted `old/cart.js`.", sessionevents.Contradicted, ledger.GapAbsent},
		"removed from a list":    {[]sessionevents.Segment{edits("build.cfg")}, sessionevents.WorkspaceObserved{Paths: []sessionevents.ObservedPath{state("old/cart.js", true)}}, "Removed `old/cart.js` from the bundle.", sessionevents.NotCheckable, ""},
		"committed":              {[]sessionevents.Segment{edits("cart.go"), works("make save", "", 0)}, sessionevents.WorkspaceObserved{Commit: "3f2c9a1", Paths: []sessionevents.ObservedPath{inGit("cart.go", false)}}, "I committed the changes.", sessionevents.Proven, ""},
		"a hook refused":         {[]sessionevents.Segment{edits("cart.go"), works(`git commit -qam fix | tail -1`, "", 0)}, sessionevents.WorkspaceObserved{Commit: "3f2c9a1", Paths: []sessionevents.ObservedPath{inGit("cart.go", true)}}, "I committed the changes.", sessionevents.Contradicted, ledger.GapAbsent},
		"some left out":          {[]sessionevents.Segment{edits("cart.go"), edits("notes.txt"), works("git commit -m fix cart.go", "[main 3f2c9a1] fix", 0)}, sessionevents.WorkspaceObserved{Commit: "3f2c9a1", Paths: []sessionevents.ObservedPath{inGit("cart.go", false), inGit("notes.txt", true)}}, "I committed the fix.", sessionevents.Proven, ""},
		"changed after it":       {[]sessionevents.Segment{edits("cart.go"), works("git commit -am fix", "[main 3f2c9a1] fix", 0), edits("cart.go")}, sessionevents.WorkspaceObserved{Commit: "3f2c9a1", Paths: []sessionevents.ObservedPath{inGit("cart.go", true)}}, "I committed the fix.", sessionevents.NotCheckable, ""},
		"not all looked at":      {[]sessionevents.Segment{edits("cart.go"), edits("order.go")}, sessionevents.WorkspaceObserved{Commit: "3f2c9a1", Paths: []sessionevents.ObservedPath{inGit("cart.go", false)}}, "I committed the changes.", sessionevents.NotCheckable, ""},
		"pushed":                 {[]sessionevents.Segment{works("git push", "", 0)}, sessionevents.WorkspaceObserved{Commit: "3f2c9a1", Unpushed: ptr(0)}, "Pushed to origin.", sessionevents.Proven, ""},
		"not pushed":             {[]sessionevents.Segment{works("git push 2>/dev/null; true", "", 0)}, sessionevents.WorkspaceObserved{Commit: "3f2c9a1", Unpushed: ptr(2)}, "Pushed to origin.", sessionevents.Contradicted, ledger.GapAbsent},
		"pushed to an address":   {[]sessionevents.Segment{works("git push git@example.org:shop.git HEAD", "", 0)}, sessionevents.WorkspaceObserved{Commit: "3f2c9a1", Unpushed: ptr(2)}, "Pushed the branch.", sessionevents.Proven, ""},
		"no remote":              {[]sessionevents.Segment{works("git push", "", 0)}, sessionevents.WorkspaceObserved{Commit: "3f2c9a1"}, "Pushed to origin.", sessionevents.Proven, ""},
		"set":                    {nil, sessionevents.WorkspaceObserved{Keys: []sessionevents.ObservedKey{{Path: ".env", Key: "CACHE_URL", Set: true}}}, "I set CACHE_URL in .env.", sessionevents.Proven, ""},
		"not set":                {nil, sessionevents.WorkspaceObserved{Keys: []sessionevents.ObservedKey{{Path: ".env", Key: "CACHE_URL"}}}, "I set CACHE_URL in .env.", sessionevents.Contradicted, ledger.GapAbsent},
		"set elsewhere":          {nil, sessionevents.WorkspaceObserved{Keys: []sessionevents.ObservedKey{{Path: ".env.test", Key: "CACHE_URL"}}}, "I set CACHE_URL in .env.", sessionevents.NotCheckable, ""},
		"moved":                  {[]sessionevents.Segment{works("./tidy.sh", "", 0)}, sessionevents.WorkspaceObserved{Paths: []sessionevents.ObservedPath{state("a/x.go", false), state("b/x.go", true)}}, "Moved `a/x.go` to `b/x.go`.", sessionevents.Proven, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlayer(t)
			p.play(append([]sessionevents.Segment{person("Go on.")}, test.did...)...)
			p.observes(&test.seen)
			got := p.play(says(test.claim))
			require.NotEmpty(t, got.Claims)
			require.Equal(t, test.verdict, got.Claims[0].Verdict, got.Claims[0].Why)
			require.Equal(t, test.gap, got.Claims[0].Gap)
		})
	}
}

// A look that was made before something else was called says nothing any more, and neither does one
// about a claim after which something was called (JD-20).
func TestAStaleLookDoesNotCount(t *testing.T) {
	absent := &sessionevents.WorkspaceObserved{Paths: []sessionevents.ObservedPath{state("doc/plan.txt", false)}}
	claim := "Created `doc/plan.txt`."
	p := newPlayer(t)
	p.play(person("Go on."), runs("./plan.sh"))
	p.observes(absent)
	require.Equal(t, sessionevents.Contradicted, p.play(says(claim)).Claims[0].Verdict)
	require.Equal(t, sessionevents.Contradicted, p.play(person("Sure?"), says(claim)).Claims[0].Verdict, "nothing was called since")
	p.play(person("Then make it."), runs("./plan.sh"))
	require.NotEqual(t, sessionevents.Contradicted, p.play(says(claim)).Claims[0].Verdict, "a command ran since")

	p = newPlayer(t)
	p.play(person("Go on."))
	p.observes(absent)
	got := p.play(says(claim), runs("rm doc/plan.txt"))
	require.NotEqual(t, sessionevents.Contradicted, got.Claims[0].Verdict, "it was removed after the claim")

	p = newPlayer(t)
	p.play(person("Go on."))
	p.observes(absent)
	require.Empty(t, p.play(runs("ls"), says("Let me look at the plan.")).Claims)
	require.Equal(t, sessionevents.Contradicted, p.play(says(claim)).Claims[0].Verdict, "the response's last turn is the one it was made for")
}

// A snapshot holds the look, so that a replay decides the same.
func TestALookIsPartOfTheState(t *testing.T) {
	p := newPlayer(t)
	p.play(person("Go on."))
	p.observes(&sessionevents.WorkspaceObserved{Unpushed: ptr(1), Commit: "3f2c9a1"})
	data, err := json.Marshal(p.ledger)
	require.NoError(t, err)
	p.ledger = &ledger.Ledger{}
	require.NoError(t, json.Unmarshal(data, p.ledger))
	require.Equal(t, sessionevents.Contradicted, p.play(says("Pushed to origin.")).Claims[0].Verdict)
}

// What a text claims decides what is asked; a text without such claims asks nothing.
func TestQuestions(t *testing.T) {
	config, _ := loaded()
	q := config.Questions("Done. I created `web/cart.ts` and `web/cart.test.ts`, deleted `web/old.ts`, and committed everything.\n\nI set SHOP_URL in `.env`. I also pushed the branch.")
	require.ElementsMatch(t, []string{"web/cart.ts", "web/cart.test.ts", "web/old.ts"}, q.Paths)
	require.Equal(t, []sessionevents.ObservedKey{{Path: ".env", Key: "SHOP_URL"}}, q.Keys)
	require.True(t, q.Commits)
	require.True(t, q.Pushes)
	q = config.Questions("I looked at `web/cart.ts`. Next I would create `web/a.ts` and commit it. All tests pass.")
	require.True(t, q.None(), "%+v", q)
}
