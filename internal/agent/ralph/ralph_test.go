package ralph_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/all"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

func read(t *testing.T, log string, o transcript.Options) []events.Event {
	t.Helper()
	s, err := all.Formats().Open(strings.NewReader(log), o)
	require.NoError(t, err)
	require.Equal(t, "ralph", s.Format().Name, log)
	var all []events.Event
	for {
		e, err := s.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		require.NoError(t, events.Validate(e, events.Limits{}))
		all = append(all, e)
	}
}

// outcomes returns those of the iterations, and of the run if it ended.
func outcomes(all []events.Event) string {
	var out []string
	for _, e := range all {
		switch d := e.Data.(type) {
		case *runevents.AgentCompleted:
			out = append(out, d.Outcome)
		case *runevents.RunCompleted:
			out = append(out, "run "+d.Outcome)
		}
	}
	return strings.Join(out, ", ")
}

// The habits of loops found in the wild, each with what it tells.
func TestHabits(t *testing.T) {
	for name, c := range map[string]struct{ log, want string }{
		"an exit code a loop":        {"=== Loop 1/3 ===\nwork\n=== Exit code: 0 ===\n=== Loop 2/3 ===\nwork\n=== Exit code: 1 ===\n", "success, failure"},
		"one line an end":            {"--- loop 1 exit 0 ---\n--- loop 2 exit 1 ---\n=== Iteration 1 ===\nx\n--- iteration 1 exit 3 ---\n", "failure"},
		"events of a loop":           {"[2026-01-21T18:15:00Z] ITERATION 1 START\n[2026-01-21T18:17:30Z] ITERATION 1 SUCCESS - Duration: 150s\n[2026-01-21T18:19:46Z] ITERATION 2 START\n[2026-01-21T18:21:50Z] ITERATION 2 FAILED - Exit: 1 - Duration: 124s\n", "success, failure"},
		"bare exit codes":            {"=== Iteration 1 ===\nThe tests return\nexit code: 1\nwhich I fixed.\nexit code: 0\n=== Iteration 2 ===\nno more\nexit code: 2\n\nSleeping 5s\n", "success, failure"},
		"no exit codes":              {"Starting Ralph - Max iterations: 2\n═══ Iteration 1 ═══\nThe exit code of the tests was 1.\n═══ Iteration 2 ═══\nAPI Error: 500 internal server error\n", "success, failure"},
		"from nought":                {"=== Iteration 0 ===\nx\n=== Exit code: 1 ===\n=== Iteration 1 ===\nx\n=== Exit code: 1 ===\n=== Iteration 2 ===\nx\n=== Exit code: 0 ===\n", "failure, failure, success"},
		"no frame at all":            {"iteration 1\nboom\nexit code 1\niteration 2\nfine\nexit code 0\n", "failure, success"},
		"as date says":               {"Mon Mar  2 09:01:00 UTC 2026: Starting iteration 1\nno net\nMon Mar  2 09:01:20 UTC 2026: exit code 1\nMon Mar  2 09:02:00 UTC 2026: Starting iteration 2\nfine\nMon Mar  2 09:02:20 UTC 2026: exit code 0\n", "failure, success"},
		"a long first iteration":     {"=== Iteration 1 ===\n" + strings.Repeat("a line of what the agent wrote\n", 4000) + "=== Exit code: 1 ===\n=== Iteration 2 ===\nx\n=== Exit code: 0 ===\n", "failure, success"},
		"a promise":                  {"═══ Iteration 1 ═══\nsome work\n═══ Iteration 2 ═══\nall of it\n<promise>COMPLETE</promise>\n", "success, success, run success"},
		"a promise the loop ignored": {"═══ Iteration 1 ═══\n<promise>COMPLETE</promise>\n═══ Iteration 2 ═══\nmore\n", "success, success"},
		"a promise before a crash":   {"═══ Iteration 1 ═══\n<promise>COMPLETE</promise>\n═══ Exit code: 1 ═══\n", "failure"},
		"a quoted promise":           {"Ralph\n═══ Iteration 1 ═══\nsay <promise>COMPLETE</promise> in the end\n═══ Iteration 2 ═══\nx\n", "success, success"},
		"out of iterations":          {"🧒 Ralph starting\n━━━ Iteration 1/2 ━━━\na\n━━━ Iteration 2/2 ━━━\nb\n⚠️  Ralph hit max iterations (2) without completion\n", "success, success, run failure"},
		"an agent that says so":      {"Ralph\n=== Iteration 1 ===\nAll tasks are complete\na\nb\nc\nd\ne\nf\n=== Iteration 2 ===\nx\n", "success, success"},
		"interrupted":                {"=== Iteration 1 ===\nx\n=== exit code: 0 ===\n=== Iteration 2 ===\nhalf\n=== exit code: 130 ===\n", "success, run cancelled"},
		"interrupted, then on":       {"=== Iteration 1 ===\nx\n=== exit code: 130 ===\n=== Iteration 2 ===\nx\n=== exit code: 1 ===\n", "failure"},
		"still at work":              {"=== Iteration 1 ===\nx\n=== exit code: 1 ===\n=== Iteration 2 ===\nhalf", "failure"},
		"timeouts":                   {"=== Iteration 1 ===\n=== exit code: 124 ===\n=== Iteration 2 ===\n=== Claude timed out ===\n", "timeout, timeout"},
		"zero is a number too":       {"=== Iteration 0 ===\n=== exit code: 1 ===\n=== Iteration 1 ===\n=== exit code: 0 ===\n", "failure, success"},
		"colours and carriages":      {"\x1b[1m=== Iteration 1 ===\x1b[0m\r\n\x1b[31m=== exit code: 1 ===\x1b[0m\r\n", "failure"},
		"lost iterations":            {"=== Iteration 1 ===\n=== exit code: 1 ===\n=== Iteration 4 ===\n=== exit code: 1 ===\n", "failure, failure"},
		"an agent counts too":        {"=== Iteration 1 ===\n--- Iteration 2 ---\n=== Iteration 7 of my plan\n=== exit code: 1 ===\n=== Iteration 2 ===\n=== exit code: 1 ===\n", "failure, failure"},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, outcomes(read(t, c.log, transcript.Options{})))
		})
	}
}

// What is no log of a loop is left to others: a false run would be worse than none.
func TestOrdinaryTextIsNoLoop(t *testing.T) {
	for name, text := range map[string]string{
		"a solver":           "=== Iteration 1 ===\nloss 0.5\n=== Iteration 2 ===\nloss 0.25\n",
		"no frame, no end":   "iteration 1\nloss 0.5\niteration 2\nloss 0.25\n",
		"no frame, one end":  "iteration 1\nexit code 1\niteration 2\nit failed\n",
		"no frame, later on": "They tried.\niteration 1\nexit code 1\niteration 2\nexit code 1\n",
		"a training log":     "Epoch 1\n--- Iteration 1/100 --- loss=2.3\n--- Iteration 2/100 --- loss=2.1\n",
		"a text on loops":    "# Ralph loops\n\nA loop prints\n\n=== Iteration 1 ===\n=== exit code: 1 ===\n",
		"an example in it":   "Ralph runs like this:\n\n```\n=== Iteration 1 ===\n=== exit code: 1 ===\n```\n",
		"a diary":            "## Iteration 1\nRalph wrote a test.\n## Iteration 2\nRalph fixed it.\n",
		"a list":             "Ralph's week\n- Iteration 1: planned\n- Iteration 2: built\n",
		"prose":              "Ralph said that iteration 1 was good.\nIteration 2 was better. It exited with code 1.\n",
		"the script":         "#!/bin/bash\nfor i in $(seq 1 $MAX); do\n  echo \"=== Loop $i/$MAX ===\"\n  claude -p < PROMPT.md\n  echo \"=== Exit code: $? ===\"\ndone\n",
		"a later iteration":  "Ralph\n=== Iteration 7 ===\nx\n=== Iteration 8 ===\n",
		"an exit code alone": "make: *** [test] Error 1\n=== exit code: 2 ===\n",
	} {
		t.Run(name, func(t *testing.T) {
			f, _ := all.Formats().Recognise([]byte(text))
			require.NotEqual(t, "ralph", f.Name)
		})
	}
}

// A log keeps the ids of its run and iterations while it grows (EV-2), and two
// loops that log alike are two runs.
func TestIdentity(t *testing.T) {
	log := "=== Iteration 1 ===\nfirst\n=== exit code: 1 ===\n"
	before := read(t, log, transcript.Options{})
	after := read(t, log+"=== Iteration 2 ===\nsecond\n=== exit code: 0 ===\n", transcript.Options{})
	require.Equal(t, before, after[:len(before)])
	other := read(t, strings.Replace(log, "first", "other", 1), transcript.Options{})
	require.NotEqual(t, before[0].Subject, other[0].Subject)

	twice := read(t, log+log, transcript.Options{})
	require.Equal(t, "failure, failure", outcomes(twice))
	require.NotEqual(t, twice[0].Subject, twice[len(twice)-1].Subject, "a loop started anew is another run")

	named := read(t, log+log, transcript.Options{Run: "nightly"})
	require.Equal(t, "nightly", named[0].Subject)
	require.Equal(t, "nightly-2", named[len(named)-1].Subject)
}

// What an iteration says is bounded: the beginning and the end are kept.
func TestLongOutput(t *testing.T) {
	var log strings.Builder
	log.WriteString("Ralph starts\n=== Iteration 1 ===\nthe beginning\n")
	for n := range 5_000 {
		fmt.Fprintf(&log, "line %d of a build\n", n)
	}
	log.WriteString(strings.Repeat("x", 200_000) + "\nthe end\n=== exit code: 1 ===\n")
	all := read(t, log.String(), transcript.Options{})
	said := all[1].Data.(*runevents.AgentCompleted).Output
	require.Less(t, len(said), 110<<10)
	require.True(t, strings.HasPrefix(said, "the beginning\nline 0 of a build\n"))
	require.True(t, strings.HasSuffix(said, "the end"))
	require.Contains(t, said, "bytes left out›")
}

// A session that goes on over iterations is one session.
func TestSessionGoesOn(t *testing.T) {
	turn := func(n int, session string) string {
		return fmt.Sprintf("--- Iteration %d ---\n"+`{"type":"assistant","message":{"id":"m%d","role":"assistant","content":[{"type":"text","text":"turn %d"}]},"session_id":%q}`+"\n--- iteration %d exit 0 ---\n", n, n, n, session, n)
	}
	all := read(t, turn(1, "s-1")+turn(2, "s-1")+turn(3, "s-2"), transcript.Options{})
	var got []string
	for _, e := range all {
		if strings.HasPrefix(string(e.Type), "session") || e.Type == sessionevents.TypeTurnRaw {
			got = append(got, string(e.Type)+" "+e.Subject)
			require.Equal(t, all[0].Subject, e.Group())
		}
	}
	require.Equal(t, []string{
		"session.opened s-1", "turn.raw s-1", "turn.raw s-1", "session.closed s-1", "session.opened s-2", "turn.raw s-2", "session.closed s-2",
	}, got)
}

// IN-13: what an iteration committed is counted where Git's words show it, also where it
// ran out of time.
func TestCommits(t *testing.T) {
	all := read(t, "=== Ralph iteration 1 ===\nWorking.\n[main 4d1e0aa] Add refunds\n 2 files changed\n=== iteration 1 exit code: 124 ===\n"+
		"=== Ralph iteration 2 ===\nThe array [main] holds 4d1e0aa.\n=== iteration 2 exit code: 124 ===\n", transcript.Options{})
	var commits []*int
	for _, e := range all {
		if d, is := e.Data.(*runevents.AgentCompleted); is {
			require.Equal(t, runevents.RunOutcomeTimeout, d.Outcome)
			commits = append(commits, d.Commits)
		}
	}
	require.Len(t, commits, 2)
	require.Equal(t, 1, *commits[0])
	require.Nil(t, commits[1], "nothing shows that it committed nothing")
}
