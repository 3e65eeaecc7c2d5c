package sessionreport

import (
	"fmt"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
)

// barSegment is a part of a bar, in the bar's own units.
type barSegment struct {
	Class, Words string
	From, Size   int
}

// bar lays segments side by side; empty ones are left out.
type bar struct {
	Total    int
	Segments []barSegment
}

func (b *bar) add(class string, size int, words string) {
	if size > 0 {
		b.Segments = append(b.Segments, barSegment{Class: class, Words: words, From: b.Total, Size: size})
		b.Total += size
	}
}

// Balance shows open debt against removed debt; nil without any.
func (s htmlSession) Balance() *bar {
	var b bar
	b.add("fired", s.Health.DebtAdded, page.Plural(s.Health.DebtAdded, "point", "points")+" of debt open")
	b.add("corrected", s.Health.DebtRemoved, page.Plural(s.Health.DebtRemoved, "point", "points")+" removed")
	if b.Total == 0 {
		return nil
	}
	return &b
}

// htmlTally is a detector's row.
type htmlTally struct {
	bar
	Name, Words, Heed string
	Scale             int // the longest bar
}

// Tallies are the signals by detector and end.
func (s htmlSession) Tallies() []htmlTally {
	scale := 0
	for _, t := range s.Detectors {
		scale = max(scale, t.Detected)
	}
	var rows []htmlTally
	for _, t := range s.Detectors {
		row := htmlTally{bar: endsOf(t.Counts), Name: name(t), Heed: heedText(t), Scale: scale}
		words := make([]string, 0, len(row.Segments))
		for _, part := range row.Segments {
			words = append(words, fmt.Sprintf("%d %s", part.Size, part.Words))
		}
		row.Words = strings.Join(words, ", ")
		if t.NotSent != "" {
			row.Words += " (not sent: " + t.NotSent + ")"
		}
		rows = append(rows, row)
	}
	return rows
}

// EndLegend names the ends that occur in the session.
func (s htmlSession) EndLegend() []barSegment { return endsOf(s.Counts).Segments }

func endsOf(c Counts) bar {
	var b bar
	b.add("fired", c.Fired, "fired")
	b.add("unsent", c.Unsent+c.Queued+c.Pending, "not sent")
	b.add("logged", c.Logged, "logged")
	b.add("suppressed", c.Suppressed, "suppressed")
	b.add("corrected", c.Corrected, "self-corrected")
	b.add("expired", c.Expired, "expired")
	b.add("coalesced", c.Coalesced, "coalesced")
	return b
}

// budgetLine is the interrupt budget over the turns, a step down for each charge.
type budgetLine struct {
	First, Last, High, Low int
	Width, Zero            int
	Box, Path              string // a margin keeps the line whole at the edges
}

// BudgetChart draws the budget; nil without turns.
func (s htmlSession) BudgetChart() *budgetLine {
	if len(s.TurnByTurn) == 0 {
		return nil
	}
	b := &budgetLine{High: s.Budget, First: s.TurnByTurn[0].Number, Last: s.TurnByTurn[len(s.TurnByTurn)-1].Number, Width: len(s.TurnByTurn)}
	for _, t := range s.TurnByTurn {
		b.High, b.Low = max(b.High, t.Budget), min(b.Low, t.Budget)
	}
	b.Zero = b.High
	b.Box = fmt.Sprintf("0 -0.1 %d %d.2", b.Width, max(b.High-b.Low, 1))
	path, level := fmt.Sprintf("M0 %d", b.High-s.Budget), s.Budget
	for i, t := range s.TurnByTurn {
		if t.Budget != level {
			path += fmt.Sprintf("H%dV%d", i, b.High-t.Budget)
			level = t.Budget
		}
	}
	b.Path = path + fmt.Sprintf("H%d", b.Width)
	return b
}

// BudgetText is the same in words.
func (s htmlSession) BudgetText() string {
	text, level := fmt.Sprintf("%d at the start", s.Budget), s.Budget
	for _, t := range s.TurnByTurn {
		if t.Budget == level {
			continue
		}
		text += fmt.Sprintf(", %d after turn %d", t.Budget, t.Number)
		if t.Budget > level {
			text += " (given back)"
		}
		level = t.Budget
	}
	return text + "."
}
