package backtestreport

import (
	"fmt"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
)

// Finish words the verdicts of a model whose figures are complete.
func Finish(m *Model) {
	for i := range m.Detectors {
		m.Detectors[i].Verdict = verdict(m, m.Detectors[i])
	}
}

// verdict is one line about a detector: what changes, and what its present interrupts
// led to.
func verdict(m *Model, d Detector) string {
	var parts []string
	if d.Gained > 0 {
		parts = append(parts, fmt.Sprintf("+%d", d.Gained))
	}
	if d.Lost > 0 {
		parts = append(parts, fmt.Sprintf("−%d", d.Lost))
	}
	change := "no change"
	switch {
	case len(parts) > 0:
		change = strings.Join(parts, ", ") + " interrupts"
		if d.Gained+d.Lost == 1 {
			change = strings.TrimSuffix(change, "s")
		}
	case d.Interrupts.Present+d.Interrupts.Given == 0:
		change = "no interrupts"
	}
	if d.Moved > 0 {
		change += fmt.Sprintf(" (%d moved)", d.Moved)
	}
	text := fmt.Sprintf("%s%s: %s in %s", d.ID, setting(m), change, page.Plural(m.Sessions, "session"))
	if d.Lost > 0 {
		text += "; of the lost " + then(d.LostThen)
	}
	if d.GainedThen.Heeded > 0 {
		text += fmt.Sprintf("; %d of the gained the agent put right unprompted", d.GainedThen.Heeded)
	}
	if d.Present.Total() > 0 {
		text += "; of " + page.Plural(d.Present.Total(), "present one") + " " + then(d.Present)
	}
	return text
}

// setting is the one number that differs, such as " fire 4.0→3.6".
func setting(m *Model) string {
	if len(m.Settings) != 1 || m.Settings[0].Was == "" || m.Settings[0].Is == "" {
		return ""
	}
	s := m.Settings[0]
	return fmt.Sprintf(" %s %s→%s", s.Path[strings.LastIndexByte(s.Path, '.')+1:], s.Was, s.Is)
}

// then says what followed interrupts. Of those that no agent is reported to have heard,
// it says what the agent did unprompted.
func then(t Tally) string {
	heeded, ignored := "heeded", "ignored"
	if t.Heard == 0 {
		heeded, ignored = "put right unprompted", "not put right"
	}
	var parts []string
	for _, one := range []struct {
		n    int
		what string
	}{{t.Heeded, heeded}, {t.Ignored, ignored}, {t.Dismissed, "dismissed"}, {t.Open, "not judged"}} {
		if one.n > 0 { // zeros are not printed (CO-9b)
			parts = append(parts, fmt.Sprintf("%d %s", one.n, one.what))
		}
	}
	return strings.Join(parts, ", ")
}

// outcome words what followed one interrupt, "" if nothing is recorded.
func (c Change) outcome() string {
	if c.Kind != KindFire || c.Outcome == "" {
		return ""
	}
	switch {
	case c.Outcome == Dismissed:
		return "a person dismissed it"
	case c.Heard && c.Outcome == Heeded:
		return "heeded"
	case c.Heard:
		return "ignored"
	case c.Outcome == Heeded:
		return "the agent put it right unprompted"
	}
	return "the agent did not put it right (unprompted)"
}

// headline sums up the comparison.
func headline(m Model) string {
	if len(m.Changes) == 0 && m.Sweep == nil {
		return fmt.Sprintf("No change: %s, %s and %s.", page.Plural(m.Sessions, "session"),
			page.Plural(m.Turns, "turn"), page.Plural(m.Interrupts.Present, "interrupt"))
	}
	if m.Sweep != nil {
		return fmt.Sprintf("%s, %s; %s under the present rules.", page.Plural(m.Sessions, "session"),
			page.Plural(m.Turns, "turn"), page.Plural(m.Interrupts.Present, "interrupt"))
	}
	gained, lost, moved := count(m.Changes, KindFire)
	return fmt.Sprintf("%d → %d interrupts in %s (%s): %d gained, %d lost, %d moved. %d of the sessions and runs change.",
		m.Interrupts.Present, m.Interrupts.Given, page.Plural(m.Sessions, "session"), page.Plural(m.Turns, "turn"), gained, lost, moved, m.Changed)
}

func count(changes []Change, kind Kind) (gained, lost, moved int) {
	for _, c := range changes {
		if c.Kind != kind {
			continue
		}
		switch c.Way {
		case Gained:
			gained++
		case Lost:
			lost++
		case Moved:
			moved++
		}
	}
	return gained, lost, moved
}

// notes are what a reader must know to read the figures rightly.
func notes(m Model) []string {
	var list []string
	if m.Interrupts.Present > 0 && m.Heard == 0 {
		list = append(list, "No present interrupt is reported as delivered, so agents acted without them: outcomes say what an agent did unprompted.")
	}
	for _, c := range m.Changes {
		if c.Depends {
			list = append(list, "† comes after another change of its session: it assumes that the agent, who was told something else, did what is recorded.")
			break
		}
	}
	if m.Sweep != nil {
		list = append(list, "Shares are of the interrupts that were judged. Those that the present rules do not make were never heard: what followed them is what the agent did unprompted.")
	}
	return append(list, m.Notes...)
}

// span is the time of the turns.
func span(m Model) string {
	if m.From.IsZero() {
		return "no turns"
	}
	const form = "2006-01-02 15:04"
	return m.From.UTC().Format(form) + " to " + m.To.UTC().Format(form) + " UTC"
}

// String names the rules, their version and their hash.
func (r Rules) String() string { return fmt.Sprintf("%s (%s, %s)", r.Name, r.Version, r.Hash) }
