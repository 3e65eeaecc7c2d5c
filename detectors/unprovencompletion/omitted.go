// Package unprovencompletion finds claims of completion that no check of the session
// proves, or that one contradicts (E1).
package unprovencompletion

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
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

//go:embed doc.md
var doc string

// Detector is the E1 detector.
var Detector = &detect.Detector{
	ID: "E1", Name: "unprovencompletion", Class: sessionevents.ClassE,
	Title: "Completion claimed without proof, or against it",
	Doc:   doc, Rules: []string{"E1", "PD-1", "PD-2", "DP-12", "SW-44"},
	New: func(set *rules.Set) (detect.Instance, error) {
		d := &instance{}
		if err := set.Decode("unprovencompletion", &d.config); err != nil {
			return nil, err
		}
		return d, nil
	},
}

type config struct {
	Confidence struct {
		Contradicted float64 `yaml:"contradicted" range:"0..1"`
		Unproven     float64 `yaml:"unproven" range:"0..1"`
		Excuse       float64 `yaml:"excuse" range:"0..1"`
		Cause        float64 `yaml:"cause" range:"0..1"`
		Todo         float64 `yaml:"todo" range:"0..1"`
		Concealed    float64 `yaml:"concealed" range:"0..1"`
	} `yaml:"confidence"`
	Sure       *pattern.Regexp `yaml:"sure" pattern:"fold,long"`
	Refers     *pattern.Regexp `yaml:"refers" pattern:"fold,long"`
	Around     int             `yaml:"around" range:"0..400"`
	ClaimWords int             `yaml:"claim_words" range:"3..20"`
	Paths      int             `yaml:"paths" range:"0..20"`
	Said       int             `yaml:"said" range:"1..100"`
}

// Figures of E1.
const (
	selfCorrect                             = 0.2
	unprovenCost                            = 3
	contradictedCost                        = 5
	unprovenFloor     sessionevents.Urgency = 20
	contradictedFloor sessionevents.Urgency = 40
)

type instance struct {
	config
}

// NewState returns an empty memory of what was reported.
func (*instance) NewState() any { return &memory{} }

// Run weighs the claims that the ledger does not consider proven. It reports one claim
// per turn, the worst.
func (d *instance) Run(p *detect.Pass) []detect.Finding {
	if p.Ledger == nil {
		return nil
	}
	m := p.State.(*memory)
	var findings []detect.Finding
	if c := d.worst(p, m); c != nil {
		findings = append(findings, d.finding(p, c))
		m.note(c, p, d.Said)
	}
	for _, more := range []*detect.Finding{d.dropped(p, m), d.concealed(p, m), d.printed(p)} {
		if more != nil {
			findings = append(findings, *more)
		}
	}
	return findings
}
