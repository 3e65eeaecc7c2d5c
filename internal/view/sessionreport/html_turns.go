package sessionreport

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
)

// turnGroup is a turn in which something happened, or a run of turns in which
// nothing did.
type turnGroup struct {
	One   bool
	Gap   bool
	Words string
	Turns []htmlTurn
}

type htmlTurn struct {
	Turn
	Anchor, Facts string
	Gap, Open     bool
	Badges        []badge
	Happened      []string // moments of the timeline
	Signals       []turnSignal
}

type badge struct{ Class, Words string }

type turnSignal struct{ Anchor, Words string }

// Groups returns the turns to unfold, one by one where there is something to report.
func (s htmlSession) Groups() []turnGroup {
	moments := map[int][]Moment{}
	for _, m := range s.Timeline {
		moments[m.Turn] = append(moments[m.Turn], m)
	}
	var groups []turnGroup
	for _, t := range s.TurnByTurn {
		turn := s.turn(t, moments[t.Number])
		one := len(turn.Happened)+len(turn.Signals)+len(turn.Badges) > 0
		last := len(groups) - 1
		if one || last < 0 || groups[last].One || groups[last].Gap != turn.Gap {
			groups = append(groups, turnGroup{One: one, Gap: turn.Gap})
			last++
		}
		groups[last].Turns = append(groups[last].Turns, turn)
	}
	for i := range groups {
		groups[i].Words = quietWords(groups[i])
	}
	return groups
}

func (s htmlSession) turn(t Turn, moments []Moment) htmlTurn {
	turn := htmlTurn{Turn: t, Anchor: s.turnAnchor(t.Number), Facts: TurnFacts(t), Gap: t.Missing || t.Failed != ""}
	turn.Open = len(t.Interrupts) > 0 || t.Failed != ""
	turn.badge("fire", len(t.Interrupts), "interrupt", "interrupts")
	turn.badge("", len(t.Signals), "signal", "signals")
	turn.badge("", len(t.RedFlags), "red flag", "red flags")
	for _, m := range moments {
		turn.moment(m)
	}
	if len(t.RedFlags) > 0 {
		turn.Happened = append(turn.Happened, "Red flags: "+strings.Join(t.RedFlags, ", "))
	}
	for _, id := range t.Signals {
		if told := s.told[id]; told != nil {
			turn.Signals = append(turn.Signals, turnSignal{s.where[id], toldIn(told)})
		}
	}
	return turn
}

func (t *htmlTurn) badge(class string, n int, one, many string) {
	if n > 0 {
		t.Badges = append(t.Badges, badge{class, page.Plural(n, one, many)})
	}
}

// moment adds what happened, and a short form next to the turn's number if nothing
// there says it yet.
func (t *htmlTurn) moment(m Moment) {
	text := strings.ToUpper(m.What[:1]) + m.What[1:]
	if m.Text != "" {
		text += ": " + m.Text
	}
	t.Happened = append(t.Happened, text)
	brief := badge{Words: m.What}
	if t.Failed != "" && m.Text == t.Failed {
		brief.Class = "lost"
	}
	said := m.What == "interrupt" || m.What == "interrupt from the queue" // its badge is there
	if !said && !slices.Contains(t.Badges, brief) {
		t.Badges = append(t.Badges, brief)
	}
}

// quietWords sum up a run of turns in which nothing was found.
func quietWords(g turnGroup) string {
	first, last := g.Turns[0].Number, g.Turns[len(g.Turns)-1].Number
	text := fmt.Sprintf("Turn %d", first)
	if last > first {
		text = fmt.Sprintf("Turns %d–%d", first, last)
	}
	if g.Gap {
		return text + ": not watched"
	}
	text += ": nothing found"
	var did []string
	var reads, edits, errors int
	for _, t := range g.Turns {
		reads, edits, errors = reads+t.Reads, edits+t.Edits, errors+t.Errors
	}
	for _, part := range []struct {
		n         int
		one, many string
	}{{reads, "read", "reads"}, {edits, "edit", "edits"}, {errors, "error", "errors"}} {
		if part.n > 0 {
			did = append(did, page.Plural(part.n, part.one, part.many))
		}
	}
	if len(did) == 0 {
		return text
	}
	return text + " (" + strings.Join(did, ", ") + ")"
}
