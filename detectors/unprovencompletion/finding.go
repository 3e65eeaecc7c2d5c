package unprovencompletion

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/ledger"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

func (d *instance) finding(p *detect.Pass, c *sessionevents.Claim) detect.Finding {
	f := detect.Finding{
		Subclass: c.Gap, Subject: string(c.Kind) + " claim", Confidence: d.confidence(c), ReworkCost: unprovenCost,
		SelfCorrect: selfCorrect, Floor: unprovenFloor, Final: p.Ledger.Final && c.Final, WeighsRequest: true,
		Message: d.message(p, c), Reason: c.Why, Evidence: d.evidence(p, c),
	}
	if c.Kind == sessionevents.ClaimTodo {
		f.Subject, f.Basis = "todo "+c.Text, ticked
	}
	if work := c.Kind == sessionevents.ClaimWorks || c.Kind == sessionevents.ClaimDone; work && onChecks[c.Gap] {
		f.Basis = ofWork
	}
	if c.Verdict == sessionevents.Contradicted {
		f.ReworkCost, f.Floor = contradictedCost, contradictedFloor
	}
	if d.logOnly(p, c) {
		f.Cap = detect.LogOnly
	}
	return f
}

// onChecks are gaps of checks, which say less of a claim that work is done: what it covers is
// not said (JD-2).
var onChecks = map[string]bool{ledger.GapNever: true, ledger.GapStale: true, ledger.GapCut: true}

var ofWork = []sessionevents.Ground{
	{Kind: sessionevents.GroundFact, What: "what ran and what changed since"},
	{Kind: sessionevents.GroundReading, What: "claim of work"},
}

// ticked is what an entry that was ticked off rests on: the list, and what the session did.
var ticked = []sessionevents.Ground{
	{Kind: sessionevents.GroundFact, What: "the entry, and what was written and run"},
	{Kind: sessionevents.GroundReading, What: "claim of a result"},
}

func (d *instance) confidence(c *sessionevents.Claim) float64 {
	switch {
	case c.Kind == sessionevents.ClaimCause:
		return d.Confidence.Cause
	case c.Kind == sessionevents.ClaimExcuse:
		return d.Confidence.Excuse
	case c.Verdict == sessionevents.Contradicted:
		return d.Confidence.Contradicted
	case c.Kind == sessionevents.ClaimTodo:
		return d.Confidence.Todo
	}
	return d.Confidence.Unproven
}

// evidence quotes the claim, names the check that decides, and the files that changed
// since, the last ones first.
func (d *instance) evidence(p *detect.Pass, c *sessionevents.Claim) []sessionevents.Evidence {
	e := sessionevents.Evidence{Segment: c.Segment, Kind: sessionevents.SegmentPlan, Quote: detect.Quote(c.Text)}
	if c.Segment < len(p.Turn.Segments) {
		s := &p.Turn.Segments[c.Segment]
		e = d.quoted(s, c)
		if s.Kind != sessionevents.SegmentPlan {
			e = detect.Whole(s)
			e.Quote = detect.Quote(c.Text)
		}
	}
	var since ledger.Place
	if c.By != nil {
		since = ledger.Place{Turn: c.By.Turn, Segment: c.By.Segment}
		e.ConflictsWith = &sessionevents.EarlierEvent{Turn: c.By.Turn, What: c.By.Command}
	}
	out := []sessionevents.Evidence{e}
	files := p.Ledger.After.Files
	for i := len(files) - 1; i >= 0 && len(out) <= d.Paths; i-- {
		f := files[i]
		if f.Kind == sessionevents.MutationDocuments || c.Gap == ledger.GapStale && !f.At.After(since) {
			continue
		}
		changed := e
		changed.Length, changed.Quote = 0, ""
		changed.ConflictsWith = &sessionevents.EarlierEvent{Turn: f.At.Turn, Path: f.Path, What: "changed"}
		out = append(out, changed)
	}
	return out
}

// quoted is the claim with what makes it plain to a reader: one of a few words goes on with
// what follows it, one that begins with a pronoun begins with the sentence before.
func (d *instance) quoted(s *sessionevents.Segment, c *sessionevents.Claim) sessionevents.Evidence {
	text := detect.Text(s)
	from, to := min(max(c.Offset, 0), len(text)), min(c.Offset+c.Length, len(text))
	if from >= to {
		return detect.At(s, c.Offset, c.Length)
	}
	claim := text[from:to]
	if d.refers.MatchString(claim) {
		before := strings.TrimRight(text[:from], " \n")
		start := strings.LastIndexAny(strings.TrimRight(before, ".!?:"), ".!?\n") + 1
		if from-start <= d.Around {
			from = start + len(text[start:]) - len(strings.TrimLeft(text[start:], " \n"))
		}
	}
	if len(strings.Fields(claim)) < d.ClaimWords {
		to = min(len(text), to+d.Around)
		for to > from && to < len(text) && !utf8.RuneStart(text[to]) {
			to--
		}
	}
	return detect.At(s, from, to-from)
}

// message names what is missing and the command that would show it (E1).
func (d *instance) message(p *detect.Pass, c *sessionevents.Claim) string {
	claim := quote.Words(c.Text, d.ClaimWords)
	switch c.Gap {
	case ledger.GapFailed:
		if c.Kind != sessionevents.ClaimTests && c.By != nil && c.By.Kind == sessionevents.CheckRun {
			return fmt.Sprintf("%s: %s Repeat it, or report that it failed.", claim, c.Why)
		}
		return fmt.Sprintf("%s contradicts %s of turn %d, which failed; report the failure, or fix it and run that again.", claim, command(c.By), c.By.Turn)
	case ledger.GapNothing:
		return fmt.Sprintf("%s rests on %s of turn %d, which ran no test; run it without the filter.", claim, command(c.By), c.By.Turn)
	case ledger.GapTrouble:
		return fmt.Sprintf("%s leaves out what an earlier output says: %s Report it with the result.", claim, c.Why)
	case ledger.GapCut:
		return fmt.Sprintf("%s rests on %s, which cuts off the result; run it whole and read its end.", claim, command(c.By))
	case ledger.GapNarrow:
		return fmt.Sprintf("%s rests on %s, which covers a part only; %s.", claim, command(c.By), runs(c, "run all of the tests"))
	case ledger.GapCount, ledger.GapSkipped:
		return fmt.Sprintf("%s: %s Report that number, and what the others need to run.", claim, c.Why)
	case ledger.GapCached:
		return fmt.Sprintf("%s rests on cached results of %s; run it again without the cache.", claim, command(c.By))
	case ledger.GapOnce:
		return fmt.Sprintf("%s: the reported fault comes and goes, and %s ran once; repeat it, and report how often it failed.", claim, command(c.By))
	case ledger.GapSuite:
		return fmt.Sprintf("%s: %s Run them before it is reported.", claim, c.Why)
	case ledger.GapLint:
		return fmt.Sprintf("%s rests on %s, which shows no behaviour; %s.", claim, command(c.By), runs(c, "run a test of what changed"))
	case ledger.GapCause:
		return fmt.Sprintf("%s is not shown: nothing in this session reproduced the failure. Reproduce it before a fix is built on it.", claim)
	case ledger.GapOwn:
		return fmt.Sprintf("%s rests on scripts written in this session; the tests of the project did not run. %s.", claim, title(runs(c, "run them")))
	case ledger.GapRequest:
		return fmt.Sprintf("%s is not shown: %s Send it a request and report the answer.", claim, c.Why)
	case ledger.GapUnmade:
		return fmt.Sprintf("%s: %s Make it, or say what is left.", claim, c.Why)
	case ledger.GapUntried:
		return fmt.Sprintf("%s: %s Do it, or say that it is left.", claim, c.Why)
	case ledger.GapUnused:
		return fmt.Sprintf("%s: %s Call it where it is meant, or say that it is unused.", claim, c.Why)
	case ledger.GapIgnored:
		return fmt.Sprintf("%s: %s Do it, or name it as left out.", claim, c.Why)
	case ledger.GapUnwritten, ledger.GapIdle:
		if c.Kind != sessionevents.ClaimTodo {
			return fmt.Sprintf("%s: %s Write them, or name them as left out.", claim, c.Why)
		}
		return fmt.Sprintf("%s is ticked off. %s Do it, or leave it open.", claim, c.Why)
	case ledger.GapExcuse:
		return fmt.Sprintf("%s is not shown: no check ran on the code without this session's changes. Run the failing check there, for example in a worktree of the base.", claim)
	case ledger.GapUnchanged:
		return fmt.Sprintf("%s: the fault reported in this conversation was never seen failing here, and nothing changed since; reproduce the person's case, or ask how it fails.", claim)
	case ledger.GapReproduce:
		return fmt.Sprintf("%s: the reported fault was never seen failing here, and no test for it was added; reproduce it, or add a test for %s.", claim, d.changed(p))
	}
	return fmt.Sprintf("%s is unproven. %s %s.", claim, c.Why, title(runs(c, "run what shows it, or say that it is unchecked")))
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

func command(r *sessionevents.LedgerRun) string {
	if r == nil || r.Command == "" {
		return "the check"
	}
	return quote.Code(quote.Plain(r.Command))
}

// runs is the order to run what would show the claim, other where nothing is known.
func runs(c *sessionevents.Claim, other string) string {
	if c.Show == "" {
		return other
	}
	return "run " + quote.Code(quote.Plain(c.Show)) + " and report what it says"
}

func title(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
