package sessionreport

import (
	"fmt"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Verdicts on the codebase's health.
const (
	VerdictImproved  = "improved"
	VerdictDegraded  = "degraded"
	VerdictUnchanged = "unchanged"
	VerdictUnknown   = "unknown"
)

// Health is the codebase health delta (DP-31). Debt is counted once per
// detector and subject, weighted by rework cost (1–5).
type Health struct {
	Verdict     string `json:"verdict"`      // improved, degraded, unchanged, unknown
	Delta       int    `json:"delta"`        // minus the debt that stands open
	DebtAdded   int    `json:"debt_added"`   // stands open at the end
	DebtRemoved int    `json:"debt_removed"` // came up and was corrected, by the agent or after an interrupt
	// OfSubagents is the debt that its subagents left open; it degrades, too (CO-9).
	OfSubagents int `json:"debt_of_subagents,omitempty"`
	Duplication int `json:"duplication_added"`
	TestsAdded  int `json:"tests_added"`  // test cases written, less those removed
	TestsEdited int `json:"tests_edited"` // edits of test files
	LinesAdded  int `json:"lines_added"`
	LinesGone   int `json:"lines_removed"`
	// Open and Removed are the things behind the two debts, the dearest first.
	Open    []Debt `json:"debts_open"`
	Removed []Debt `json:"debts_removed"`
	// Explanation says how the figures came about, one sentence each.
	Explanation []string `json:"explanation"`
}

// Debt is what one thing costs the codebase while it is open.
type Debt struct {
	Detector string `json:"detector"`
	Subject  string `json:"subject"`
	Path     string `json:"path,omitempty"`
	Signal   string `json:"signal"` // the last one about it
	Points   int    `json:"points"` // its rework cost, 1–5
	// Duplicate: it is duplication in the codebase.
	Duplicate bool `json:"duplicate,omitempty"`
}

// thing is what a detector said about one subject, over the whole session.
type thing struct {
	last *Finding
	cost int
	open bool
	gone bool
}

// health weighs the things of the debt classes.
func (f closing) health() Health {
	h := Health{
		TestsAdded: f.testsAdded, TestsEdited: f.tests, LinesAdded: f.linesAdded, LinesGone: f.linesGone,
		Open: []Debt{}, Removed: []Debt{},
	}
	for _, t := range f.things() {
		if !slices.Contains(f.settings.DebtClasses, t.last.Class) {
			continue
		}
		debt := Debt{Detector: t.last.Detector, Subject: t.last.Subject, Path: t.last.Path, Signal: t.last.Signal, Points: t.cost}
		debt.Duplicate = slices.Contains(f.settings.Duplication, t.last.Detector)
		switch {
		case t.open:
			h.Open = append(h.Open, debt)
			h.DebtAdded += t.cost
			if debt.Duplicate {
				h.Duplication++
			}
		case t.gone:
			h.Removed = append(h.Removed, debt)
			h.DebtRemoved += t.cost
		}
	}
	for _, list := range [][]Debt{h.Open, h.Removed} {
		slices.SortStableFunc(list, func(a, b Debt) int { return b.Points - a.Points })
	}
	h.Delta = -h.DebtAdded
	h.Verdict = f.verdict(h)
	h.Explanation = f.explain(h)
	return h
}

// verdict: debt that stands open degrades; without any, work on tests improves,
// unless more tests went than came.
func (f closing) verdict(h Health) string {
	switch {
	case f.covered().Evaluated == 0:
		return VerdictUnknown
	case h.DebtAdded > 0:
		return VerdictDegraded
	case h.TestsAdded > 0, h.TestsEdited > 0 && h.TestsAdded == 0:
		return VerdictImproved
	default:
		return VerdictUnchanged
	}
}

func (f closing) explain(h Health) []string {
	c := f.covered()
	if c.Evaluated == 0 {
		return []string{notWatched(c)}
	}
	text := []string{
		fmt.Sprintf("Debt added: %s from %s still open in classes %s, weighted by rework cost%s.",
			page.Plural(h.DebtAdded, "point"), things(len(h.Open)), classes(f.settings.DebtClasses), f.named(h.Open)),
		fmt.Sprintf("Debt removed: %s from %s corrected by the agent or after an interrupt%s.",
			page.Plural(h.DebtRemoved, "point"), things(len(h.Removed)), f.named(h.Removed)),
		fmt.Sprintf("Tests: %s, %s. Duplication added: %s.", testsText(h.TestsAdded), page.Plural(h.TestsEdited, "edit of a test file", "edits of test files"), things(h.Duplication)),
		fmt.Sprintf("Lines: %d added, %d removed.", h.LinesAdded, h.LinesGone),
	}
	if !c.whole() {
		text = append(text, "This is only the part that was watched; "+notWatched(c)+".")
	}
	return text
}

// named lists the dearest debts in words, after a colon.
func (f closing) named(debts []Debt) string {
	text, mark := "", ": "
	for _, d := range debts[:min(len(debts), f.settings.Limits.Subjects)] {
		text += mark + fmt.Sprintf("%s %s (%d)", d.Detector, quote.Path(d.Subject), d.Points)
		mark = ", "
	}
	if rest := len(debts) - f.settings.Limits.Subjects; rest > 0 {
		text += fmt.Sprintf(" and %d more", rest)
	}
	return text
}

func testsText(added int) string {
	if added < 0 {
		return page.Plural(-added, "test case") + " removed"
	}
	return page.Plural(added, "test case") + " added"
}

// things groups the findings by detector and subject, in order of appearance. The last signal about a thing
// decides its state; a finding that a validator limited to LOG, or that was suppressed or dismissed, does not
// count as debt.
func (f closing) things() []*thing {
	var all []*thing
	byKey := map[[2]string]*thing{}
	for _, s := range f.order {
		if s.End == endCoalesced {
			continue
		}
		key := [2]string{s.Detector, s.Subject}
		t := byKey[key]
		if t == nil {
			t = &thing{}
			byKey[key] = t
			all = append(all, t)
		}
		t.last, t.cost = s, max(t.cost, s.ReworkCost)
		t.open, t.gone = f.standing(s)
	}
	return all
}

func (f closing) standing(s *Finding) (open, gone bool) {
	switch s.End {
	case endCorrected:
		return false, true
	case endSuppressed:
		return false, false
	case endFired:
		for _, i := range f.fired {
			if slices.Contains(i.Signals, s.Signal) {
				return i.Heed != string(sessionevents.DeliveryHeeded) && !i.Dismissed, i.Heed == string(sessionevents.DeliveryHeeded)
			}
		}
	}
	return !f.capped[s.Signal], false
}

func things(n int) string { return page.Plural(n, "thing") }

func classes(list []sessionevents.Class) string {
	text := ""
	for i, c := range list {
		if i > 0 {
			text += ", "
		}
		text += string(c)
	}
	return text
}
