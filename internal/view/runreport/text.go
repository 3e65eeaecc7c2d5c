package runreport

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
)

// RenderText writes the report for a terminal of so many columns (0 or less:
// lines are not wrapped). A nil style is plain. Parts with nothing are left out,
// but what was not watched is always said.
func RenderText(w io.Writer, m Model, width int, style page.Style) error {
	s := &screen{page.NewScreen(width, style)}
	s.head(m)
	for _, one := range layOut(m) {
		if !one.nothing() || one.Always {
			s.part(one)
		}
	}
	if _, err := io.WriteString(w, s.String()); err != nil {
		return fmt.Errorf("write the report of run %s: %w", m.Run.ID, err)
	}
	return nil
}

// RenderConclusions writes what follows from the decisions of a run: whether breaks
// were warranted and corrections helped, how cycles converged, how the run conforms
// to the wave protocol, what was not watched. It goes below a list of the decisions,
// and is empty if nothing follows.
func RenderConclusions(w io.Writer, m Model, width int, style page.Style) error {
	s := &screen{page.NewScreen(width, style)}
	for _, one := range conclusions(m) {
		if !one.nothing() {
			s.part(one)
		}
	}
	if _, err := io.WriteString(w, s.String()); err != nil {
		return fmt.Errorf("write the conclusions about run %s: %w", m.Run.ID, err)
	}
	return nil
}

// screen is text being laid out.
type screen struct{ page.Screen }

func (s *screen) look(as tone) func(string) string {
	switch as {
	case bad:
		return s.Style.Urgent
	case good:
		return s.Style.Good
	case faint:
		return s.Style.Muted
	}
	return func(text string) string { return text }
}

func (s *screen) head(m Model) {
	s.Line("", heading, s.Style.Heading)
	s.Line("", identity(m), s.Style.Muted)
	if m.Run.Goal != "" {
		s.Line("", "Goal: "+passage(m.Run.Goal), s.look(plainTone))
	}
	s.Line("", ending(m), s.look(plainTone))
	if text := period(m); text != "" {
		s.Line("", text, s.Style.Muted)
	}
	var words []string
	for _, f := range figures(m)[1:] {
		words = append(words, strings.ToLower(f.Name)+" "+f.Value)
	}
	s.Line("", strings.Join(words, ", "), s.look(plainTone))
	if gap := notWatched(m); gap != "" {
		s.Line("", gap, s.Style.Urgent)
	}
}

func (s *screen) part(one part) {
	s.Heading(one.Title)
	for _, c := range one.Cards {
		s.Line("  ", c.Title, s.look(c.Tone))
		for _, l := range c.Lines {
			s.Line("    ", l.Text, s.look(l.Tone))
		}
	}
	s.table(one.Table)
	for _, i := range one.Items {
		s.Line("  • ", i.Text, s.look(i.Tone))
	}
}

// table writes columns under each other where they fit, else a line for each row
// with the names of its columns.
func (s *screen) table(t table) {
	if len(t.Rows) == 0 {
		return
	}
	widths := make([]int, len(t.Columns))
	total := 2
	for i, name := range t.Columns {
		widths[i] = utf8.RuneCountInString(name)
		for _, row := range t.Rows {
			widths[i] = max(widths[i], utf8.RuneCountInString(page.Plain(row[i])))
		}
		total += widths[i] + 2
	}
	if s.Width > 0 && total > s.Width+2 {
		s.rows(t)
		return
	}
	s.WriteString("  " + s.Style.Muted(aligned(t.Columns, widths)) + "\n")
	for _, row := range t.Rows {
		s.WriteString("  " + aligned(row, widths) + "\n")
	}
}

func aligned(cells []string, widths []int) string {
	var b strings.Builder
	for i, cell := range cells {
		cell = page.Plain(cell)
		b.WriteString(cell + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+2))
	}
	return strings.TrimRight(b.String(), " ")
}

func (s *screen) rows(t table) {
	for _, row := range t.Rows {
		text := row[0]
		for i, cell := range row[1:] {
			if cell != "" {
				text += ", " + strings.ToLower(t.Columns[i+1]) + " " + cell
			}
		}
		s.Line("  • ", text, s.look(plainTone))
	}
}
