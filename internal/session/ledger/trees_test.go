package ledger_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// in returns a call with the folder that it names for its command.
func in(folder string, s sessionevents.Segment) sessionevents.Segment {
	s.Tool.Input, _ = json.Marshal(map[string]string{"workdir": folder})
	return s
}

type steps []sessionevents.Segment

// Tests in a worktree without the session's changes prove nothing of them; those in one that has them do (JD-13).
func TestTheWorktreeInWhichACheckRan(t *testing.T) {
	run := func(command string) sessionevents.Segment { return ran(t, command, "") }
	checks := func(command string) sessionevents.Segment { return ran(t, command, "ok  \texample.org/cal\t0.2s") }
	commit := ran(t, "git commit -am days", "[main 1a2b3c4] days\n 1 file changed")
	base := run("git worktree add /tmp/base origin/main")
	leap := run("git worktree add ../cal-leap -b leap")
	for name, c := range map[string]struct {
		steps  steps
		proven bool
	}{
		"by its path":     {steps{edits("days.go"), base, checks("go test -C /tmp/base ./...")}, false},
		"by another path": {steps{edits("days.go"), base, checks("go test -C ./cal ./...")}, true},
		"entered before":  {steps{edits("days.go"), base, run("cd /tmp/base"), checks("go test ./...")}, false},
		"left again": {steps{
			edits("days.go"), base, run("cd /tmp/base"), run("cd /srv/cal"), checks("go test ./..."),
		}, true},
		"by its call's folder": {steps{edits("days.go"), base, in("/tmp/base", checks("go test ./..."))}, false},
		"by another folder":    {steps{edits("days.go"), base, in("/srv/cal", checks("go test ./..."))}, true},
		"a call's folder is its own": {steps{
			edits("days.go"), base, in("/srv/cal", run("cd /tmp/base && ls")), checks("go test ./..."),
		}, true},
		"nothing changed": {steps{base, checks("go test -C /tmp/base ./...")}, true},
		"flags with values": {steps{
			edits("days.go"), run("git worktree add -b leap ../cal-old"), checks("go test -C ../cal-old ./..."),
		}, false},
		"named otherwise": {steps{
			edits("days.go"), run("git worktree add ./old origin/main"), checks("go test -C /srv/cal/old ./..."),
		}, false},
		"committed before": {steps{
			edits("days.go"), commit, run("git worktree add ../copy"), checks("go test -C ../copy ./..."),
		}, true},
		"committed, by HEAD": {steps{
			edits("days.go"), commit, run("git worktree add --detach ../copy HEAD"), checks("go test -C ../copy ./..."),
		}, true},
		"committed, of a branch": {steps{
			edits("days.go"), commit, run("git worktree add ../copy origin/main"), checks("go test -C ../copy ./..."),
		}, false},
		"not committed": {steps{
			edits("days.go"), run("git worktree add ../copy"), checks("go test -C ../copy ./..."),
		}, false},
		"changed since": {steps{
			edits("days.go"), commit, edits("year.go"), run("git worktree add ../copy"),
			checks("go test -C ../copy ./..."),
		}, false},
		"changed there": {steps{leap, edits("../cal-leap/days.go"), checks("go test ./...")}, false},
		"changed and tested there": {steps{
			leap, edits("../cal-leap/days.go"), checks("go test -C ../cal-leap ./..."),
		}, true},
		"perhaps tested there": {steps{
			leap, run("cd ../cal-leap"), edits("../cal-leap/days.go"), checks("go test ./..."),
		}, true},
		"brought here": {steps{
			leap, edits("../cal-leap/days.go"), run("git merge leap"), checks("go test ./..."),
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlayer(t)
			p.play(person("Fix the leap day."))
			for i := range c.steps {
				p.play(c.steps[i])
			}
			got := p.play(says("All tests pass."))
			require.NotEmpty(t, got.Claims)
			for _, claim := range got.Claims {
				require.Equal(t, c.proven, claim.Verdict == sessionevents.Proven, "%s: %s", claim.Verdict, claim.Why)
				require.NotEqual(t, sessionevents.Contradicted, claim.Verdict, claim.Why)
			}
		})
	}
}

// The worktrees that are remembered are bounded; the latest are.
func TestWorktreesAreBounded(t *testing.T) {
	p := newPlayer(t)
	p.play(person("Fix the leap day."), edits("days.go"))
	for i := range 20 {
		p.play(ran(t, fmt.Sprintf("git worktree add /tmp/base%d origin/main", i), ""))
	}
	require.LessOrEqual(t, len(p.ledger.Trees), 8)
	p.play(ran(t, "go test -C /tmp/base19 ./...", "ok  \texample.org/cal\t0.2s"))
	for _, claim := range p.play(says("All tests pass.")).Claims {
		require.NotEqual(t, sessionevents.Proven, claim.Verdict, claim.Why)
	}
}

// Tests show nothing of what was tried by hand, a run of the program may be just that; where they fail, what is said of
// all the work is judged by that.
func TestWhatWasTriedByHand(t *testing.T) {
	passed, failed := tests(sessionevents.CheckPassed, nil), tests(sessionevents.CheckFailed, nil)
	const byHand = "I tested it manually, it is working now."
	unknown := tests(sessionevents.CheckUnknown, nil)
	program := sessionevents.Check{Kind: sessionevents.CheckRun, Result: sessionevents.CheckPassed}
	for name, c := range map[string]struct {
		ran  sessionevents.Segment
		says string
		want sessionevents.Verdict
	}{
		"tests":          {runs("go test ./...", passed), "It is working now.", sessionevents.Proven},
		"tests, by hand": {runs("go test ./...", passed), byHand, sessionevents.NotCheckable},
		"a run, by hand": {runs("./app --once", program), byHand, sessionevents.Proven},
		"all, passed":    {runs("go test ./...", passed), "Everything is done.", sessionevents.NotCheckable},
		"all, failed":    {runs("go test ./...", failed), "Everything is done.", sessionevents.Contradicted},
		"all, unknown":   {runs("go test ./...", unknown), "Everything is done.", sessionevents.NotCheckable},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlayer(t)
			p.play(person("Sort the labels."), edits("label.go"))
			p.play(c.ran)
			got := p.play(says(c.says))
			var verdicts []sessionevents.Verdict
			for _, claim := range got.Claims {
				verdicts = append(verdicts, claim.Verdict)
				if c.ran.Checks[0].Result != sessionevents.CheckPassed {
					require.NotContains(t, claim.Why, "passed; the claim")
				}
			}
			require.Contains(t, verdicts, c.want)
		})
	}
}
