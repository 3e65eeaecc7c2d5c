package unprovencompletion

import (
	"fmt"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/shell"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/ledger"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// named holds our wording of claims that do not fit into a message in full (JD-40).
var named = map[sessionevents.ClaimKind]string{
	sessionevents.ClaimTests: "Your claim that the tests pass", sessionevents.ClaimBuild: "Your claim that it builds",
	sessionevents.ClaimLint: "Your claim that the linters pass", sessionevents.ClaimWorks: "Your claim that it works",
	sessionevents.ClaimDone: "Your claim that it is done", sessionevents.ClaimDeployed: "Your claim that it runs",
	sessionevents.ClaimCause: "The cause you name", sessionevents.ClaimExcuse: "Your reason for the failure",
	sessionevents.ClaimTodo: "The entry you ticked off", sessionevents.ClaimCreated: "Your claim that a file was made",
	sessionevents.ClaimDeleted: "Your claim that a file is gone", sessionevents.ClaimMoved: "Your claim that a file was moved",
	sessionevents.ClaimCommitted: "Your claim of a commit", sessionevents.ClaimPushed: "Your claim of a push",
	sessionevents.ClaimPullRequest: "Your claim of a pull request", sessionevents.ClaimTagged: "Your claim of a tag",
	sessionevents.ClaimInstalled: "Your claim of an installation", sessionevents.ClaimApplied: "Your claim of a migration",
	sessionevents.ClaimVariable: "Your claim about a setting", sessionevents.ClaimEndpoint: "Your claim about an address",
}

// message returns the claim, what the record shows instead, and the single next step
// (JD-40). It quotes the claim and names the runs; a command appears only in the next
// step, in full.
func (d *instance) message(p *detect.Pass, c *sessionevents.Claim) string {
	claim := quote.Whole(c.Text, d.ClaimWords, named[c.Kind])
	if text, ok := onRun(claim, c); ok {
		return text
	}
	switch c.Gap {
	case ledger.GapTrouble:
		return d.trouble(p, claim)
	case ledger.GapSuite:
		return fmt.Sprintf("%s: %s Run them before you report it.", claim, c.Why)
	case ledger.GapCause:
		return fmt.Sprintf("%s is not shown: nothing in this session reproduced the failure. Reproduce it before you build a fix on it.", claim)
	case ledger.GapOwn:
		return fmt.Sprintf("%s rests on scripts that you wrote in this session; the project's tests did not run. %s.", claim, next(c, "Run them"))
	case ledger.GapRequest:
		return fmt.Sprintf("%s is not shown: nothing asked the program since you started it. Send it a request and report the answer.", claim)
	case ledger.GapUnmade:
		return fmt.Sprintf("%s: %s Make it, or say what is left.", claim, c.Why)
	case ledger.GapAbsent:
		return fmt.Sprintf("%s: %s Make it so, or correct your report.", claim, c.Why)
	case ledger.GapUntried:
		return fmt.Sprintf("%s: %s Do it, or say that it is left.", claim, c.Why)
	case ledger.GapUnused:
		return unused(c)
	case ledger.GapIgnored:
		return d.ignored(c)
	case ledger.GapUnwritten, ledger.GapIdle:
		if c.Kind != sessionevents.ClaimTodo {
			return fmt.Sprintf("%s: %s Write them, or name them as left out.", claim, c.Why)
		}
		return fmt.Sprintf("%s is ticked off. %s Do it, or leave it open.", claim, c.Why)
	case ledger.GapExcuse:
		return fmt.Sprintf("%s is not shown: no check ran on the code without your changes. Run the failing check in a worktree of the base.", claim)
	case ledger.GapUnchanged:
		return fmt.Sprintf("%s: the fault that was reported was never seen failing here, and nothing changed since. Reproduce the person's case, or ask how it fails.", claim)
	case ledger.GapReproduce:
		return fmt.Sprintf("%s: the fault that was reported was never seen failing here, and it has no new test. Reproduce it, or add a test for %s.", claim, d.changed(p))
	}
	return fmt.Sprintf("%s is unproven: %s. %s.", claim, lacks(p, c), next(c, "Run what shows it, or say that it is unchecked"))
}

// onRun describes what a run shows, or does not show, about a claim.
func onRun(claim string, c *sessionevents.Claim) (string, bool) {
	if c.By == nil {
		return "", false
	}
	turn := c.By.Turn
	switch c.Gap {
	case ledger.GapFailed:
		if c.By.Runner == ledger.RemoteRunner {
			const said = "%s: %s showed a failed check in turn %d. Report that, or fix it, push and ask again."
			return fmt.Sprintf(said, claim, c.By.Runner, turn), true
		}
		if c.By.Kind == sessionevents.CheckRun && c.Kind != sessionevents.ClaimTests {
			return fmt.Sprintf("%s: the command that does it failed in turn %d. %s.", claim, turn, "Report that, or repeat it"), true
		}
		return fmt.Sprintf("%s: the %s of turn %d failed, and nothing that covers it passed since. Report that, or fix it and %s.", claim, check(c.By), turn, repeat(c.By)), true
	case ledger.GapNothing:
		return fmt.Sprintf("%s rests on the run of turn %d, which ran no test. %s.", claim, turn, next(c, "Run it without its filter")), true
	case ledger.GapCut:
		return fmt.Sprintf("%s rests on the run of turn %d, whose result is cut off. %s.", claim, turn, next(c, "Run it whole and read its end")), true
	case ledger.GapNarrow:
		return fmt.Sprintf("%s rests on the run of turn %d, which leaves tests out. %s.", claim, turn, next(c, "Run all of them, or say which ran")), true
	case ledger.GapCount:
		return fmt.Sprintf("%s: the run of turn %d says %d passed. Report that number.", claim, turn, c.By.Passed), true
	case ledger.GapSkipped:
		return fmt.Sprintf("%s: the run of turn %d skipped %d tests and ran %d. Report both numbers, and what the others need.", claim, turn, c.By.Skipped, c.By.Passed), true
	case ledger.GapCached:
		return fmt.Sprintf("%s rests on results from a cache (turn %d), older than what they use. Run them again without the cache.", claim, turn), true
	case ledger.GapOnce:
		return fmt.Sprintf("%s: the fault that was reported comes and goes, and one run (turn %d) shows little. Repeat it, and report how often it failed.", claim, turn), true
	case ledger.GapLint:
		return fmt.Sprintf("%s rests on the %s of turn %d, which shows no behaviour. %s.", claim, check(c.By), turn, next(c, "Run a test of what changed")), true
	case ledger.GapStale:
		return fmt.Sprintf("%s: the %s of turn %d is older than your last change. %s.", claim, check(c.By), turn, next(c, "Run it again")), true
	}
	return "", false
}

// unused names the single thing that nothing uses instead of quoting the claim.
func unused(c *sessionevents.Claim) string {
	what := quote.Name(c.Subjects[0]) + " of " + quote.Path(c.Subjects[1])
	return "You report " + what + " as in use, and no other line of this session names it. Call it where it is meant, or say that it is unused."
}

// ignored quotes the request instead of the claim.
func (d *instance) ignored(c *sessionevents.Claim) string {
	what := quote.Whole(c.Subjects[0], d.ClaimWords, "one of the requests")
	return "You call the work done, and nothing works on " + what + " or speaks of it. Do it, or name it as left out."
}

// trouble quotes the output instead of the claim.
func (d *instance) trouble(p *detect.Pass, claim string) string {
	if n := len(p.Ledger.After.Troubles); n > 0 {
		t := &p.Ledger.After.Troubles[n-1]
		says := quote.Whole(t.Text, d.ClaimWords, "that something went wrong")
		return fmt.Sprintf("The output of turn %d says %s, and your report leaves it out. Report it with the result.", t.At.Turn, says)
	}
	return claim + " leaves out what an output says went wrong. Report it with the result."
}

// lacks returns what a claim lacks, without a quotation.
func lacks(p *detect.Pass, c *sessionevents.Claim) string {
	files := p.Ledger.After.Files
	if len(files) == 0 || c.By != nil {
		return strings.TrimSuffix(strings.ReplaceAll(c.Why, "`", ""), ".")
	}
	return quote.Path(files[len(files)-1].Path) + " changed, and nothing that shows it ran in this session"
}

func (d *instance) changed(p *detect.Pass) string {
	files := p.Ledger.After.Files
	for i := len(files) - 1; i >= 0; i-- {
		if files[i].Kind == sessionevents.MutationCode {
			return quote.Path(files[i].Path)
		}
	}
	return "it"
}

// checks maps the kinds of runs to words.
var checks = map[sessionevents.CheckKind]string{
	sessionevents.CheckTest: "test run", sessionevents.CheckBuild: "build", sessionevents.CheckLint: "linter",
	sessionevents.CheckTypes: "type check", sessionevents.CheckRequest: "request",
}

func check(r *sessionevents.LedgerRun) string {
	if word, known := checks[r.Kind]; known {
		return word
	}
	return "run"
}

// next returns the order to run what would prove the claim: the session's own command
// without the part that hides its result; other if none can be shown in full.
func next(c *sessionevents.Claim, other string) string {
	text := c.Show
	if text == "" && c.By != nil && c.Gap == ledger.GapCut {
		text = c.By.Command
	}
	if shown, ok := quote.Command(shell.Unpiped(text)); ok {
		return "Run " + shown + " and report what it says"
	}
	return other
}

// repeat returns the order to run a check again.
func repeat(r *sessionevents.LedgerRun) string {
	if shown, ok := quote.Command(shell.Unpiped(r.Command)); ok {
		return "run " + shown
	}
	return "run it again"
}
