package unprovencompletion

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// dropped finds entries that were removed undone from the primary's own list, while it
// calls the rest completed (PD-1).
func (d *instance) dropped(p *detect.Pass, m *memory) *detect.Finding {
	m.Dropped = text.Newest(append(m.Dropped, texts(p)...), d.Said)
	if len(m.Dropped) == 0 || !p.Ledger.Final || p.Ledger.Hedged || !claimsAll(p) {
		return nil
	}
	dropped := m.Dropped
	m.Dropped = nil
	entry := quote.Whole(dropped[0], d.ClaimWords, "an entry")
	return &detect.Finding{
		Subclass: "dropped", Subject: "todo " + detect.Quote(dropped[0]), Confidence: d.Confidence.Todo, ReworkCost: unprovenCost,
		SelfCorrect: selfCorrect, Floor: unprovenFloor, Final: true, WeighsRequest: true,
		Evidence: []sessionevents.Evidence{lastSaid(p, strings.Join(dropped, "; "))},
		Message:  fmt.Sprintf("The work is called complete, but %s left your todo list undone. Do it, or name it as left out.", entry),
		Reason:   fmt.Sprintf("%d entries of the agent's list were dropped before they were done.", len(dropped)),
	}
}

func texts(p *detect.Pass) []string {
	var out []string
	completed := slices.ContainsFunc(p.Ledger.After.Todo, func(i sessionevents.TodoItem) bool { return i.Status == sessionevents.TodoCompleted })
	for _, item := range p.Ledger.Dropped {
		if completed {
			out = append(out, item.Text)
		}
	}
	return out
}

func claimsAll(p *detect.Pass) bool {
	return slices.ContainsFunc(p.Ledger.Claims, func(c sessionevents.Claim) bool {
		return c.Kind == sessionevents.ClaimDone || c.Kind == sessionevents.ClaimWorks
	})
}

func lastSaid(p *detect.Pass, what string) sessionevents.Evidence {
	e := sessionevents.Evidence{Kind: sessionevents.SegmentPlan}
	for i := range p.Turn.Segments {
		if s := &p.Turn.Segments[i]; s.Kind == sessionevents.SegmentPlan && !s.Thinking {
			e = detect.Whole(s)
		}
	}
	e.ConflictsWith = &sessionevents.EarlierEvent{What: detect.Quote(what)}
	return e
}

// concealed finds a turn in which the primary decides to leave something out of its
// report, and the report that does so.
func (d *instance) concealed(p *detect.Pass, m *memory) *detect.Finding {
	intent, at := p.Ledger.Conceals, p.Ledger.ConcealsAt
	if intent == "" && m.Concealed != "" && p.Ledger.Final && len(p.Ledger.Claims) > 0 && !p.Ledger.Admits {
		intent, at = m.Concealed, p.Ledger.Claims[0].Segment
		m.Concealed = ""
	} else if intent == "" {
		return nil
	} else if m.Concealed == "" {
		m.Concealed = intent
	} else {
		return nil
	}
	return &detect.Finding{
		Subclass: "concealed", Subject: "report", Confidence: d.Confidence.Concealed, ReworkCost: unprovenCost, SelfCorrect: selfCorrect,
		Floor: unprovenFloor, Final: p.Ledger.Final, WeighsRequest: true,
		Evidence: []sessionevents.Evidence{detect.Whole(&p.Turn.Segments[at])},
		Message:  fmt.Sprintf("%s leaves a known problem out of the report. Name it with its figures.", quote.Whole(intent, d.ClaimWords, "What you set out to report")),
		Reason:   "The agent says that it will leave something out of its report.",
	}
}

// printed finds a result that the primary printed or wrote itself.
func (d *instance) printed(p *detect.Pass) *detect.Finding {
	if p.Ledger.Printed == "" {
		return nil
	}
	return &detect.Finding{
		Subclass: "printed", Subject: "made-up result", Confidence: d.Confidence.Concealed, ReworkCost: unprovenCost, SelfCorrect: selfCorrect,
		Floor: unprovenFloor, Final: p.Ledger.Final, WeighsRequest: true,
		Evidence: []sessionevents.Evidence{detect.Whole(&p.Turn.Segments[p.Ledger.PrintedAt])},
		Message:  fmt.Sprintf("%s is written by hand, no check printed it. Run the check and report what it says.", quote.Whole(p.Ledger.Printed, d.ClaimWords, "A result of this turn")),
		Reason:   "The text of a passing check was printed or written by the session itself.",
	}
}
