package sessionreport

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// maxReceipts is how many receipts a report keeps.
const maxReceipts = 12

// Receive adds the receipt of a check run at a person's request: for the claims of the last response it
// outranks the transcript (JD-21).
func (d *Done) Receive(r *sessionevents.CheckObserved) {
	d.receive(r)
	d.sort()
}

// settles maps a kind of check to the kinds of claims that it settles.
var settles = map[sessionevents.CheckKind][]sessionevents.ClaimKind{
	sessionevents.CheckTest:  {sessionevents.ClaimTests},
	sessionevents.CheckBuild: {sessionevents.ClaimBuild},
	sessionevents.CheckLint:  {sessionevents.ClaimLint},
	sessionevents.CheckTypes: {sessionevents.ClaimLint},
}

func (d *Done) receive(r *sessionevents.CheckObserved) {
	d.Receipts = append(slices.Clone(d.Receipts), *r)
	last := 0
	for i := range d.Claims {
		if c := &d.Claims[i]; c.Final && c.Turn <= r.Turn {
			last = max(last, c.Turn)
		}
	}
	for i := range d.Claims {
		if c := &d.Claims[i]; c.Final && c.Turn == last {
			d.settle(c, r)
		}
	}
}

// settle gives a claim the verdict that a receipt supports. What failed on a workspace that has changed since
// does not contradict what was claimed before; what ran at another commit answers only the excuse that a
// failure was there before; a claim narrower than the whole run is not contradicted by it.
func (d *Done) settle(c *sessionevents.Claim, r *sessionevents.CheckObserved) {
	var verdict sessionevents.Verdict
	why := ""
	command, when := quote.Code(quote.Plain(r.Command)), "when you had it run"
	if r.By == sessionevents.ByConfiguration {
		when = "when it was run after the response"
	}
	switch {
	case r.At != "" && c.Kind == sessionevents.ClaimExcuse && r.Check.Result == sessionevents.CheckFailed:
		verdict, why = sessionevents.Proven, fmt.Sprintf("%s fails at %s, too.", command, short(r.At))
	case r.At != "" || !slices.Contains(settles[r.Check.Kind], c.Kind):
		return
	case r.Check.Result == sessionevents.CheckPassed:
		verdict, why = sessionevents.Proven, command+" passed "+when+"."
	case r.Check.Result != sessionevents.CheckFailed && r.Check.Result != sessionevents.CheckNothing:
		return
	case r.Later:
		verdict, why = sessionevents.Unproven, command+" fails now, and the workspace has changed since the response."
	case c.Kind == sessionevents.ClaimTests && !c.Broad:
		verdict, why = sessionevents.Unproven, command+" failed "+when+"; the claim is about a part of it."
	case r.Check.Result == sessionevents.CheckNothing:
		verdict, why = sessionevents.Contradicted, command+" ran no test "+when+"."
	default:
		verdict, why = sessionevents.Contradicted, fmt.Sprintf("%s failed (exit %d) %s.", command, r.ExitCode, when)
	}
	if d.Verdicts[c.Verdict]--; d.Verdicts[c.Verdict] == 0 {
		delete(d.Verdicts, c.Verdict)
	}
	d.Verdicts[verdict]++
	c.Verdict, c.Why, c.Gap, c.By, c.Show = verdict, why, "", &sessionevents.LedgerRun{Check: r.Check, Turn: r.Turn, Command: r.Command}, ""
}

// sort puts the worst claims first.
func (d *Done) sort() {
	slices.SortStableFunc(d.Claims, func(a, b sessionevents.Claim) int {
		return cmp.Or(cmp.Compare(slices.Index(worstFirst, a.Verdict), slices.Index(worstFirst, b.Verdict)), final(b)-final(a), b.Turn-a.Turn)
	})
}

// results are results in words.
var results = map[sessionevents.CheckResult]string{
	sessionevents.CheckPassed: "passed", sessionevents.CheckFailed: "failed", sessionevents.CheckNothing: "ran no test", sessionevents.CheckUnknown: "result unknown",
}

// receiptLine is a receipt in one line.
func receiptLine(r *sessionevents.CheckObserved) string {
	result := cmp.Or(results[r.Check.Result], string(r.Check.Result))
	if r.Expired {
		result = "not done in time"
	}
	parts := []string{fmt.Sprintf("exit %d", r.ExitCode), (time.Duration(r.Duration) * time.Millisecond).String()}
	if n := r.Check.Passed + r.Check.Failed; n > 0 {
		parts = append(parts, fmt.Sprintf("%d passed, %d failed", r.Check.Passed, r.Check.Failed))
	}
	if r.At != "" {
		parts = append(parts, "at "+short(r.At))
	}
	if r.Tree != "" {
		parts = append(parts, "tree "+short(r.Tree))
	}
	line := fmt.Sprintf("RECEIPT %s (from %s): %s; %s", quote.Code(quote.Plain(r.Command)), r.From, result, strings.Join(parts, ", "))
	if r.Check.Result != sessionevents.CheckPassed && r.Summary != "" {
		line += ": " + quote.Line(quote.Plain(strings.ReplaceAll(r.Summary, "\n", " | ")))
	}
	return line
}

func short(digest string) string { return digest[:min(len(digest), 12)] }
