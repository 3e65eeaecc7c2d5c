package sessionreport

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// closing computes the parts of the model from all that was folded.
type closing struct{ *Fold }

// Result returns the report so far; the fold may continue (DP-32).
func (f *Fold) Result() Model {
	m := Model{
		SchemaVersion: SchemaVersion, Session: f.session, Turns: f.coverage.Received, Budget: f.budget, BudgetLeft: f.left,
		Interrupts: closing{f}.interrupts(), Halts: notes{f}.haltsSoFar(), Prevented: f.prevented.Section(), ForRun: notes{f}.saidForRun(), NotSent: closing{f}.notSent(), Logged: closing{f}.ended(endLogged), Suppressed: closing{f}.ended(endSuppressed),
		Corrected: closing{f}.ended(endCorrected), Expired: closing{f}.ended(endExpired),
		Pending: closing{f}.ended(endPending), Said: closing{f}.ended(endFired), Coalesced: closing{f}.ended(endCoalesced), Counts: count(f.order),
		Health: closing{f}.health(), Timeline: append([]Moment{}, f.timeline...), TimelineCut: f.moments - len(f.timeline),
		TurnByTurn: closing{f}.turns(), TurnsCut: len(f.rowsCut),
		RedFlags: closing{f}.flags(), Detectors: closing{f}.tallies(), Coverage: closing{f}.covered(), Advice: closing{f}.advice(),
		Done: f.done.result(),
	}
	if !m.Session.Closed {
		m.Session.DoneTurn = f.finish.turn
	}
	if f.opinions != nil {
		opinions := *f.opinions
		opinions.Models, opinions.Answers = slices.Clone(opinions.Models), slices.Clone(opinions.Answers)
		m.Opinions = &opinions
	}
	if f.usage != nil {
		usage := *f.usage
		m.Usage = &usage
	}
	m.Observations = closing{f}.observations(m)
	return m
}

func (f closing) interrupts() []Fired {
	all := make([]Fired, 0, len(f.fired))
	for _, i := range f.fired {
		fired := *i
		fired.Signals, fired.Deliveries = slices.Clone(i.Signals), append([]Delivery{}, i.Deliveries...)
		all = append(all, fired)
	}
	return all
}

func (f closing) flags() []RedFlag {
	all := []RedFlag{}
	for _, id := range slices.Sorted(maps.Keys(f.redFlags)) {
		flag := *f.redFlags[id]
		flag.Turns = slices.Clone(flag.Turns)
		all = append(all, flag)
	}
	return all
}

// tallies count per detector, by id.
func (f closing) tallies() []Tally {
	by := map[string][]*Finding{}
	for _, s := range f.order {
		by[s.Detector] = append(by[s.Detector], s)
	}
	all := []Tally{}
	for _, id := range slices.Sorted(maps.Keys(by)) {
		t := Tally{Detector: id, Title: f.settings.title(id), Counts: count(by[id]), Reasons: reasons(by[id]), NotSent: f.notSentText(by[id])}
		for _, i := range f.fired {
			if i.Detector == id {
				t.add(i)
			}
		}
		all = append(all, t)
	}
	return all
}

// reasons returns the codes of the findings' outcomes, nil if there are none.
func reasons(findings []*Finding) map[string]int {
	var counts map[string]int
	for _, s := range findings {
		if s.Code == "" {
			continue
		}
		if counts == nil {
			counts = map[string]int{}
		}
		counts[s.Code]++
	}
	return counts
}

// notSentText says why findings were not sent, the most frequent reason first.
func (f closing) notSentText(findings []*Finding) string {
	counts := map[string]int{}
	for _, s := range findings {
		switch {
		case s.Code == "":
		case s.Reason == f.settings.worded(primingReason):
			counts[s.Reason]++
		default:
			counts[f.settings.worded(s.Code)]++
		}
	}
	words := slices.SortedFunc(maps.Keys(counts), func(a, b string) int { return cmp.Or(counts[b]-counts[a], strings.Compare(a, b)) })
	for i, w := range words {
		words[i] = number(counts[w]) + " " + w
	}
	return strings.Join(words, ", ")
}

// primingReason is the reason of findings that the first turns excuse (SW-41); its code is shared by all
// overrides.
const primingReason = "priming"

func (t *Tally) add(i *Fired) {
	t.Interrupts++
	switch {
	case i.Dismissed:
		t.Dismissed++
	case i.Heed == "heeded":
		t.Heeded++
	case i.Heed == "ignored":
		t.Ignored++
	}
}
