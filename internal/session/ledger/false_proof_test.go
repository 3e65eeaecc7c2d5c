package ledger_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/checkrun"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/shell"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// ran is a command that succeeded, with the checks that its reader finds; one that it does not know ran
// something.
func ran(t *testing.T, command, output string) sessionevents.Segment {
	t.Helper()
	commands, err := shell.New(rules.Default())
	require.NoError(t, err)
	reader, err := checkrun.New(rules.Default(), commands)
	require.NoError(t, err)
	exit := new(int)
	if strings.HasPrefix(output, "Process running") || strings.HasPrefix(output, "Command running") {
		exit = nil
	}
	s := runs(command, reader.Checks(command, checkrun.Result{Output: output, Exit: exit})...)
	s.Result.Head, s.Result.ExitCode, s.Result.Bytes = output, exit, len(output)
	if len(s.Checks) == 0 {
		s.Tool.Effects = []string{"run"}
	}
	return s
}

// What ran and passed proves only what it can show (JD-13): each command that shows nothing of the claim
// has a twin that does.
func TestFalseProof(t *testing.T) {
	const good = "ok  \texample.org/shop\t0.2s"
	for name, c := range map[string]struct {
		says, shows, output string
		proven              bool
	}{
		"torn down": {
			"The fixture loader works correctly now.",
			"scripts/e2e-tests.sh teardown", "Stopped.", false,
		},
		"run": {
			"The fixture loader works correctly now.",
			"scripts/e2e-tests.sh all", "12 passed", true,
		},
		"prepared": {
			"The retry loop works correctly now.",
			"bash tests/run_tests.sh setup", "Created the database.", false,
		},
		"prepared and run": {"The retry loop works correctly now.", "bash tests/run_tests.sh", "12 passed", true},
		"listed":           {"All tests pass.", "./run_tests.sh --list", "test_a\ntest_b", false},
		"collected": {
			"All tests pass.",
			"pytest --collect-only -q", "tests/test_cart.py::test_a\n\n1 test collected in 0.01s", false,
		},
		"not collected": {"All tests pass.", "pytest -q", "1 passed in 0.01s", true},
		"compiled":      {"All tests pass.", "cargo test --no-run", "    Finished test profile", false},
		"names of Go's tests": {
			"All tests pass.",
			"go test -list . ./...", "TestA\nok  \texample.org/shop\t0.01s", false,
		},
		"says that it is stale": {
			"I have confirmed that the staging branch is outdated.",
			"portctl list staging", "staging 3 behind", false,
		},
		"says that it works": {"I have confirmed that the export works.", "python cart.py export", "done", true},
		"some tool":          {"The importer works now.", "podctl describe web-1", "Running", false},
		"the program":        {"The importer works now.", "./bin/importer sample.csv", "12 rows", true},
		"a built program":    {"The importer works now.", "/tmp/importer-build sample.csv", "12 rows", true},
		"a text that is sent": {
			"Both loaders now return an error for an empty file.",
			"glab mr create --title 'Empty files' --description 'Both loaders\nnode handles it\n./bin/importer works'",
			"https://gitlab.example.org/shop/-/merge_requests/4", false,
		},
		"some tests": {"The work is complete.", "go test ./... -run TestQueue", good, false},
		"all tests":  {"The work is complete.", "go test ./...", good, true},
		"everything": {"Everything is complete.", "go test ./...", good, false},
		"some of pytest's": {
			"All the work is done.",
			"pytest -k queue", "2 passed, 40 deselected in 0.01s", false,
		},
		"a purpose": {
			"This matters for the importer to work properly.",
			"pytest -q", "1 passed in 0.01s", false,
		},
		"another purpose": {
			"It needs the header so that the parser can work correctly.",
			"pytest -q", "1 passed in 0.01s", false,
		},
		"no purpose":              {"The importer works properly.", "pytest -q", "1 passed in 0.01s", true},
		"more than a run shows":   {"Tests pass reliably on every platform.", "pytest -q", "1 passed in 0.01s", false},
		"as much as a run shows":  {"Tests pass.", "pytest -q", "1 passed in 0.01s", true},
		"a document that is sent": {"I opened a card for the follow-up.", "winctl paste notes/follow-up.md", "", false},
		"some page": {
			"The setup is complete and working.",
			"curl -s http://localhost:8000/", "<title>Directory listing for /</title>", false,
		},
		"that page": {
			"The server is running and serves the page.",
			"curl -s http://localhost:8000/", "<title>Shop</title>", true,
		},
		"a removal by a run": {
			"The `probe.js` script has been successfully deleted.",
			"node probe.js", "done", false,
		},
		"a removal": {"The `probe.js` script has been successfully deleted.", "rm probe.js", "", true},
		"where Git points": {
			"Verified that `HEAD` and `origin/release` are both at 4be1c02.",
			"npx --yes wfcheck a.yml", "done", false,
		},
		"not at an end": {
			"All tests pass.",
			"bun run test", "Process running with session ID 7\n$ bun test", false,
		},
		"at an end": {"All tests pass.", "bun run test", "$ bun test\n 3 pass\n 0 fail", true},
		"a try apart from the work": {
			"The importer works now.",
			"python3 /tmp/try_import.py", "3 rows", false,
		},
		"a try that came by a text": {
			"The importer works now.",
			"cat > /tmp/probe.py <<'EOF'\ndef total(rows):\n    return sum(rows)\nassert total([1]) == 1\nEOF\n" +
				"python3 /tmp/probe.py", "", false,
		},
		"a try of the work": {
			"The importer works now.",
			"cat > /tmp/probe.py <<'EOF'\nfrom cart import total\nassert total([1, 2]) == 3\nEOF\n" +
				"python3 /tmp/probe.py", "", true,
		},
		"a try in another folder": {
			"The importer works now.",
			"cd /tmp/attempt && ruby probe.rb", "3", false,
		},
		"some lines of a program": {
			"The importer works now.",
			"node -e 'const rows = [1, 2]; console.log(rows.length)'", "2", false,
		},
		"lines that use the work": {
			"The importer works now.",
			"python3 -c 'import cart; print(cart.total([1]))'", "1", true,
		},
		"a text that can be read": {
			"The release pipeline works.",
			"ruby -ryaml -e 'YAML.load_file(\"ci/release.yml\"); puts :ok'", "ok", false,
		},
		"lines that are tests": {
			"The importer works now.",
			"perl -e 'print 1' && pytest -q", "1\n4 passed in 0.01s", true,
		},
		"a page of something": {
			"The webhook's retry works now.",
			"curl -s http://localhost:8000/status", "<title>Status</title>", true,
		},
		"any page for a hook": {
			"The commit hook is working.",
			"curl -s http://localhost:8000/", "<title>Shop</title>", false,
		},
		"a page of what is claimed": {
			"The invoice totals work now.",
			"curl -s http://localhost:8000/invoice/7", `{"total": 3}`, true,
		},
		"a run that goes on": {
			"The importer works now.",
			"./bin/importer --all", "Process running with session ID 12", false,
		},
		"a run that goes on in the background": {
			"The importer works now.",
			"python3 cart.py", "Command running in background with ID: b7", false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlayer(t)
			p.play(person("Work on the importer."), edits("cart.py"), edits("ci/release.yml"))
			p.play(edits("notes/follow-up.md"))
			p.play(ran(t, c.shows, c.output))
			got := p.play(says(c.says))
			if c.proven {
				require.NotEmpty(t, got.Claims)
			}
			for _, claim := range got.Claims {
				proven := claim.Verdict == sessionevents.Proven
				require.Equal(t, c.proven, proven, "%s: %s (%s)", claim.Verdict, claim.Why, claim.Kind)
				require.NotEqual(t, sessionevents.Contradicted, claim.Verdict, claim.Why)
			}
		})
	}
}

// A program of the session's own that holds a copy of the code shows nothing of the code; one that uses it
// does.
func TestACopyProvesNothing(t *testing.T) {
	const holds = "def total_of(rows):\n    return sum(rows)\n"
	const tries = "assert total_of([1, 2]) == 3"
	for name, c := range map[string]struct {
		file, text string
		proven     bool
	}{
		"a copy":       {"probe_totals.py", holds + tries, false},
		"a copy apart": {"/tmp/probe_totals.py", holds + tries, false},
		"a copy with a table": {
			"/tmp/probe_totals.py", holds + "rows = [\n    (\"run cart.py 1\", True),\n]\n" + tries, false,
		},
		"a use with a table": {
			"/tmp/probe_totals.py", "rows = [\n    (cart.first, True),\n]\nfrom cart import total_of\n" + tries, true,
		},
		"a copy that says so": {"/tmp/probe_totals.py", "# the same as in cart.py, from cart\n" + holds + tries, false},
		"a use":               {"probe_totals.py", "from cart import total_of\n" + tries, true},
		"a use from out":      {"/tmp/probe_totals.py", "import sys\nfrom cart import total_of\n" + tries, true},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlayer(t)
			p.play(person("The total is wrong, it leaves out the last row."), writes("cart.py", holds))
			p.play(writes(c.file, c.text))
			p.play(ran(t, "python3 "+c.file, "ok"))
			got := p.play(says("The total is right now and works as expected."))
			require.NotEmpty(t, got.Claims)
			for _, claim := range got.Claims {
				require.Equal(t, c.proven, claim.Verdict == sessionevents.Proven, "%s: %s", claim.Verdict, claim.Why)
				require.NotEqual(t, sessionevents.Contradicted, claim.Verdict, claim.Why)
			}
		})
	}
}

// A failure that the primary explains to the person is named: a summary that leaves it out afterwards is
// unproven, not a contradiction (JD-3, JD-12). Silence about it is one.
func TestAnExplainedFailure(t *testing.T) {
	script := func(c *sessionevents.Check) { c.Runner = "test script" }
	failed := runs("scripts/check.sh locks", tests(sessionevents.CheckFailed, script))
	again := runs("scripts/check.sh locks", tests(sessionevents.CheckFailed, script))
	for name, c := range map[string]struct {
		turns        [][]sessionevents.Segment
		contradicted bool
	}{
		"explained": {
			[][]sessionevents.Segment{
				{failed}, {says("This is expected behaviour: the file backend has no row locks."), runs("ls")},
			},
			false,
		},
		"by design": {
			[][]sessionevents.Segment{
				{failed}, {says("That check fails by design on this backend.")},
			},
			false,
		},
		"too strict": {
			[][]sessionevents.Segment{
				{failed}, {says("The script's last assertion is too strict for this backend.")},
			},
			false,
		},
		"not spoken of": {
			[][]sessionevents.Segment{
				{failed}, {says("Now I look at the documentation."), runs("ls")},
			},
			true,
		},
		"only thought": {
			[][]sessionevents.Segment{
				{failed},
				{{Kind: sessionevents.SegmentPlan, Thinking: true, Text: "This is expected behaviour."}, runs("ls")},
			},
			true,
		},
		"before it failed": {[][]sessionevents.Segment{{says("This is expected behaviour.")}, {failed}}, true},
		"failed once more": {
			[][]sessionevents.Segment{
				{failed}, {says("This is expected behaviour.")}, {again},
			},
			true,
		},
		"something else is it": {
			[][]sessionevents.Segment{
				{failed}, {says("I expected that the page would be blue.")},
			},
			true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlayer(t)
			p.play(person("Run the checks."), edits("cart.py"))
			for _, turn := range c.turns {
				p.play(turn...)
			}
			got := p.play(says("Overall: all checks pass."))
			require.Len(t, got.Claims, 1)
			require.Equal(t, c.contradicted, got.Claims[0].Verdict == sessionevents.Contradicted, got.Claims[0].Why)
			require.NotEqual(t, sessionevents.Proven, got.Claims[0].Verdict)
		})
	}
}

// writes is an edit that creates a file with a text.
func writes(path, text string) sessionevents.Segment {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = "+" + lines[i]
	}
	return sessionevents.Segment{
		Kind: sessionevents.SegmentDiff, Path: path,
		Tool: &sessionevents.ToolCall{Name: "Write", Canonical: sessionevents.ToolWrite},
		Diff: &sessionevents.Diff{
			Op: sessionevents.DiffCreate, Hunks: []sessionevents.Hunk{{NewStart: 1, Lines: lines}},
		},
	}
}
