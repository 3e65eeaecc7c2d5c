package backtestreport

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/doc"
)

// tables are the figures in the order in which they are shown.
func tables(m Model) []doc.Part {
	var list []doc.Part
	if len(m.Detectors) > 0 {
		list = append(list, detectorTable(m))
	}
	if rows := kindRows(m); len(rows) > 0 {
		t := doc.FiguresPart("What changes", "decision", "gained", "lost", "moved")
		for _, row := range rows {
			t.Row(row...)
		}
		list = append(list, t)
	}
	if t := effectTable(m); !t.Nothing() {
		list = append(list, t)
	}
	if m.Sweep != nil {
		list = append(list, sweepTable(*m.Sweep, m.Heard > 0))
	}
	return list
}

func detectorTable(m Model) doc.Part {
	t := doc.FiguresPart("Interrupts by detector", "detector", "present", "given", "gained", "lost", "moved", "signals")
	t.NamedBy(3) // from how many to how many: also none
	for _, d := range m.Detectors {
		t.Row(d.ID, strconv.Itoa(d.Interrupts.Present), strconv.Itoa(d.Interrupts.Given), plus(d.Gained), minus(d.Lost), some(d.Moved), d.Signals.text())
	}
	return t
}

func kindRows(m Model) (rows [][]string) {
	for _, kind := range Kinds() {
		gained, lost, moved := count(m.Changes, kind)
		if gained+lost+moved > 0 {
			rows = append(rows, []string{kind.plural(), plus(gained), minus(lost), some(moved)})
		}
	}
	return rows
}

func effectTable(m Model) doc.Part {
	t := doc.FiguresPart("Queue, budget and ends of signals", "", "present", "given", "change")
	t.NamedBy(3) // from how many to how many: also none
	for _, e := range m.Effects {
		if e.Present == 0 && e.Given == 0 {
			continue
		}
		change := ""
		if e.Given != e.Present {
			change = fmt.Sprintf("%+d", e.Given-e.Present)
		}
		t.Row(e.Name, strconv.Itoa(e.Present), strconv.Itoa(e.Given), strings.Replace(change, "-", "−", 1))
	}
	return t
}

func sweepTable(s Sweep, heard bool) doc.Part {
	var columns []string
	for _, setting := range s.Settings {
		columns = append(columns, setting[strings.LastIndexByte(setting, '.')+1:])
	}
	heeded := "heeded"
	if !heard {
		heeded = "put right"
	}
	columns = append(columns, "interrupts", "a session", "gained", "lost", "from queue", "queued", "exhausted", "breaks",
		heeded, "dismissed", "judged")
	t := doc.FiguresPart("Sweep of "+strings.Join(s.Settings, " and "), columns...)
	t.NamedBy(len(s.Settings))
	for _, r := range s.Rows {
		var row []string
		for i, value := range r.Values {
			text := number(value)
			if r.Present && i == 0 {
				text += " (present)"
			}
			row = append(row, text)
		}
		heeded, dismissed, ok := r.Share()
		shares := []string{"", ""}
		if ok {
			shares = []string{percent(heeded), percent(dismissed)}
		}
		judged := r.Kept.Total() + r.New.Total() - r.Kept.Open - r.New.Open
		row = append(row, strconv.Itoa(r.Interrupts), strconv.FormatFloat(r.PerSession, 'f', 2, 64), plus(r.Gained), minus(r.Lost), some(r.FromQueue),
			some(r.Queued), some(r.Exhausted), some(r.Breaks), shares[0], shares[1], some(judged))
		t.Row(row...)
	}
	return t
}

func number(value float64) string {
	if text := strconv.FormatFloat(value, 'f', -1, 64); strings.Contains(text, ".") {
		return text
	}
	return strconv.FormatFloat(value, 'f', 0, 64)
}

func percent(share float64) string { return fmt.Sprintf("%.0f%%", share*100) }

func plus(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("+%d", n)
}

func minus(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("−%d", n)
}

func some(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// text is one figure where both are the same.
func (p Pair) text() string {
	if p.Present == p.Given {
		return strconv.Itoa(p.Present)
	}
	return fmt.Sprintf("%d → %d", p.Present, p.Given)
}

// plural names several decisions of a kind.
func (k Kind) plural() string {
	switch k {
	case KindFire:
		return "interrupts"
	case KindQueue:
		return "queue entries"
	}
	return string(k) + "s"
}
