package unprovencompletion

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/ledger"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
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

// onChecks are gaps of checks, which say less about a claim that work is done, since the
// claim does not say what it covers (JD-2).
var onChecks = map[string]bool{ledger.GapNever: true, ledger.GapStale: true, ledger.GapCut: true}

var ofWork = []sessionevents.Ground{
	{Kind: sessionevents.GroundFact, What: "what ran and what changed since"},
	{Kind: sessionevents.GroundReading, What: "claim of work"},
}

// ticked is the basis of an entry that was checked off: the list, and what the session
// did.
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

// evidence quotes the claim, names the check that decides, and the files changed since,
// the last ones first.
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

// quoted returns the claim with enough context for a reader: a short one continues with
// the text that follows, and one that begins with a pronoun starts with the sentence
// before.
func (d *instance) quoted(s *sessionevents.Segment, c *sessionevents.Claim) sessionevents.Evidence {
	said := detect.Text(s)
	from, to := min(max(c.Offset, 0), len(said)), min(c.Offset+c.Length, len(said))
	if from >= to {
		return detect.At(s, c.Offset, c.Length)
	}
	claim := said[from:to]
	if d.config.Refers.MatchString(claim) {
		before := strings.TrimRight(said[:from], " \n")
		start := strings.LastIndexAny(strings.TrimRight(before, ".!?:"), ".!?\n") + 1
		if from-start <= d.Around {
			from = start + len(said[start:]) - len(strings.TrimLeft(said[start:], " \n"))
		}
	}
	if len(strings.Fields(claim)) < d.ClaimWords {
		to = from + len(text.Head(said[from:], to-from+d.Around))
	}
	return detect.At(s, from, to-from)
}
