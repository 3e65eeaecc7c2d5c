package ledger_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/ledger"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Only a run that passed proves that something works (PD-2).
func TestWhatARunShows(t *testing.T) {
	program := func(command, output string) sessionevents.Segment {
		s := runs(command)
		s.Tool.Effects, s.Result.Head = []string{"run"}, output
		return s
	}
	ran := func(result sessionevents.CheckResult) sessionevents.Segment {
		return runs("./app", sessionevents.Check{Kind: sessionevents.CheckRun, Result: result})
	}
	for name, test := range map[string]struct {
		run     sessionevents.Segment
		verdict sessionevents.Verdict
	}{
		"passed":              {program("./app --once", "started"), sessionevents.Proven},
		"exit code forgiven":  {program("./app --once || true", "started"), sessionevents.NotCheckable},
		"broke off":           {program("./app --once", "Traceback (most recent call last):\n  File \"a\"\nValueError: 3"), sessionevents.NotCheckable},
		"said to have failed": {ran(sessionevents.CheckFailed), sessionevents.NotCheckable},
		"unknown":             {ran(sessionevents.CheckUnknown), sessionevents.NotCheckable},
		"issue tracker":       {program("jira issue move X-1 Done", "ok"), sessionevents.NotCheckable},
		"forgiven by reader":  {runs("./app || true", sessionevents.Check{Kind: sessionevents.CheckRun, Result: sessionevents.CheckPassed}), sessionevents.NotCheckable},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlayer(t)
			p.play(person("Start it."), edits("app.py"))
			p.play(test.run)
			got := p.play(says("It is working now."))
			require.Len(t, got.Claims, 1)
			require.Equal(t, test.verdict, got.Claims[0].Verdict, got.Claims[0].Why)
		})
	}
}

// What the primary would rather leave alone is an opinion, not a claim that it works.
func TestOpinionClaimsNothing(t *testing.T) {
	p := newPlayer(t)
	p.play(person("Is the loop good?"), edits("app.py"))
	require.Empty(t, p.play(says("I wouldn't touch the loop, it is working now.")).Claims)
	require.Len(t, p.play(says("The loop is working now.")).Claims, 1)
}

// A program that ran does not show that work is ready to merge; a test does (PD-2).
func TestReadyIsShownByTests(t *testing.T) {
	program := runs("./app --once", sessionevents.Check{Kind: sessionevents.CheckRun, Result: sessionevents.CheckPassed})
	p := newPlayer(t)
	p.play(person("Start it."), edits("app.py"))
	p.play(program)
	require.Equal(t, sessionevents.NotCheckable, p.play(says("Ready to merge.")).Claims[0].Verdict)
	p.play(runs("go test ./...", tests(sessionevents.CheckPassed, nil)), program)
	require.Equal(t, sessionevents.Proven, p.play(says("Ready to merge.")).Claims[0].Verdict)
}

// A claim names what it is about: the unit tests are not the integration tests, and the file
// that is named is the one that shows it.
func TestClaimsAreAboutWhatTheyName(t *testing.T) {
	p := newPlayer(t)
	p.play(person("Take the discount off."), edits("cart/cart.go"), edits("integration_test/cart_test.go"))
	p.play(runs("go test ./...", tests(sessionevents.CheckPassed, nil)))
	require.Equal(t, sessionevents.Proven, p.play(says("All unit tests pass.")).Claims[0].Verdict)
	all := p.play(says("All tests pass.")).Claims[0]
	require.Equal(t, ledger.GapSuite, all.Gap, all.Why)
	made := p.play(says("Added the discount to `cart.go`.")).Claims
	require.Len(t, made, 1)
	require.Equal(t, "The session wrote cart/cart.go.", made[0].Why)
}

// A promised test is kept once its file is written.
func TestAPromisedTestIsKept(t *testing.T) {
	p := newPlayer(t)
	p.play(person("Take the discount off."), says("Now let me add the unit tests in cart_test.go."))
	require.Equal(t, sessionevents.TodoPending, p.ledger.Promises[0].Status)
	kept := p.play(edits("cart/cart_test.go"))
	require.Equal(t, sessionevents.TodoCompleted, p.ledger.Promises[0].Status)
	require.Equal(t, sessionevents.TodoCompleted, kept.Change.Promises[0].Status)
}

// That work is done is shown by a program of that work, not by some tool that ran (JD-13).
func TestSomeToolDoesNotShowThatWorkIsDone(t *testing.T) {
	for command, want := range map[string]sessionevents.Verdict{
		"python cart.py --all":    sessionevents.Proven,
		"boardctl status shop-12": sessionevents.NotCheckable,
	} {
		p := newPlayer(t)
		p.play(person("Take the discount off."), edits("cart.py"))
		p.play(runs(command, sessionevents.Check{Kind: sessionevents.CheckRun, Result: sessionevents.CheckPassed}))
		got := p.play(says("The discount has been removed and the migration is complete."))
		require.NotEmpty(t, got.Claims)
		require.Equal(t, want, got.Claims[0].Verdict, command+": "+got.Claims[0].Why)
	}
}
