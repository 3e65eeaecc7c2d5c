package report

import (
	"fmt"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
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
	Duplication int    `json:"duplication_added"`
	TestsEdited int    `json:"tests_edited"` // edits of test files
	LinesAdded  int    `json:"lines_added"`
	LinesGone   int    `json:"lines_removed"`
	// Explanation says how the figures came about, one sentence each.
	Explanation []string `json:"explanation"`
}

// thing is what a detector said about one subject, over the whole session.
type thing struct {
	last *Finding
	cost int
	open bool
	gone bool
}

// health weighs the things of the debt classes.
func (f *Fold) health() Health {
	h := Health{TestsEdited: f.tests, LinesAdded: f.linesAdded, LinesGone: f.linesGone}
	var open, removed int
	for _, t := range f.things() {
		if !slices.Contains(f.settings.DebtClasses, t.last.Class) {
			continue
		}
		switch {
		case t.open:
			open++
			h.DebtAdded += t.cost
		case t.gone:
			removed++
			h.DebtRemoved += t.cost
		}
		if t.open && slices.Contains(f.settings.Duplication, t.last.Detector) {
			h.Duplication++
		}
	}
	h.Delta = -h.DebtAdded
	h.Verdict = f.verdict(h)
	h.Explanation = f.explain(h, open, removed)
	return h
}

func (f *Fold) verdict(h Health) string {
	switch {
	case f.covered().Evaluated == 0:
		return VerdictUnknown
	case h.DebtAdded > 0:
		return VerdictDegraded
	case h.TestsEdited > 0:
		return VerdictImproved
	default:
		return VerdictUnchanged
	}
}

func (f *Fold) explain(h Health, open, removed int) []string {
	c := f.covered()
	if c.Evaluated == 0 {
		return []string{notWatched(c)}
	}
	text := []string{
		fmt.Sprintf("Debt added: %d points from %s still open in classes %s, weighted by rework cost.", h.DebtAdded, things(open), classes(f.settings.DebtClasses)),
		fmt.Sprintf("Debt removed: %d points from %s corrected by the agent or after an interrupt.", h.DebtRemoved, things(removed)),
		fmt.Sprintf("Tests: %s. Duplication added: %s.", plural(h.TestsEdited, "edit of a test file", "edits of test files"), things(h.Duplication)),
		fmt.Sprintf("Lines: %d added, %d removed.", h.LinesAdded, h.LinesGone),
	}
	if c.NotWatched > 0 {
		text = append(text, "This is only the part that was watched; "+notWatched(c)+".")
	}
	return text
}

// things groups the findings by detector and subject, in order of appearance.
// The last signal about a thing says how it stands; one that a validator capped
// at LOG only, or that was suppressed or dismissed, is no debt.
func (f *Fold) things() []*thing {
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

func (f *Fold) standing(s *Finding) (open, gone bool) {
	switch s.End {
	case endCorrected:
		return false, true
	case endSuppressed:
		return false, false
	case endFired:
		for _, i := range f.fired {
			if slices.Contains(i.Signals, s.Signal) {
				return i.Heed != string(events.DeliveryHeeded) && !i.Dismissed, i.Heed == string(events.DeliveryHeeded)
			}
		}
	}
	return !f.capped[s.Signal], false
}

func things(n int) string { return plural(n, "thing", "things") }

func classes(list []events.Class) string {
	text := ""
	for i, c := range list {
		if i > 0 {
			text += ", "
		}
		text += string(c)
	}
	return text
}
