package fleetreport

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
)

// RenderJSON writes the model, indented, with its schema version.
func RenderJSON(w io.Writer, m Model) error { return page.JSON(w, "the fleet report", m) }

// RenderMarkdown writes the report as Markdown.
func RenderMarkdown(w io.Writer, m Model) error {
	var b strings.Builder
	fmt.Fprintf(&b, "## SCAFFOLD-WATCH FLEET REPORT\n\n%s. %s\n\n", page.Inline(m.period()), page.Inline(headline(m)))
	if runs := runsHeadline(&m.Runs); runs != "" {
		b.WriteString(page.Inline(runs) + "\n\n")
	}
	for _, t := range tables(m) {
		fmt.Fprintf(&b, "**%s:**\n\n", t.title)
		if len(t.rows) == 0 {
			b.WriteString(page.Inline(nothing(m)) + "\n\n")
			continue
		}
		b.WriteString("| " + strings.Join(t.columns, " | ") + " |\n|---|" + strings.Repeat("---:|", len(t.columns)-1) + "\n")
		for _, row := range t.rows {
			cells := make([]string, len(row))
			for i, cell := range row {
				cells[i] = page.Inline(cell)
			}
			b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
		}
		b.WriteByte('\n')
	}
	b.WriteString("**Cost and coverage:**\n\n")
	for _, line := range notes(m) {
		b.WriteString("- " + page.Inline(line) + "\n")
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write the fleet report: %w", err)
	}
	return nil
}

// notes are what the tables do not show.
func notes(m Model) []string {
	list := append(coverage(m), delivery(m)...)
	return append(append(append(list, runNotes(&m.Runs)...), cost(m)), opinionNotes(m)...)
}

// RenderText writes the report for a terminal of that many columns, 0 for any. A
// nil style is plain. Figures in tables are aligned; a table that is too wide
// becomes one line per row, with the names of its columns.
func RenderText(w io.Writer, m Model, width int, style page.Style) error {
	if style == nil {
		style = page.PlainStyle{}
	}
	var b strings.Builder
	b.WriteString(style.Heading("SCAFFOLD-WATCH FLEET REPORT") + "\n" + style.Muted(m.period()) + "\n")
	for _, line := range []string{headline(m), runsHeadline(&m.Runs)} {
		if line != "" {
			hang(&b, width, "", line)
		}
	}
	if gap(m) {
		var text strings.Builder
		hang(&text, width, "", coverage(m)[0])
		b.WriteString(style.Urgent(strings.TrimSuffix(text.String(), "\n")) + "\n")
	}
	for _, t := range tables(m) {
		b.WriteString("\n" + style.Heading(t.title) + "\n")
		if len(t.rows) == 0 {
			b.WriteString("  " + nothing(m) + "\n")
			continue
		}
		if width > 0 && t.width() > width {
			t.narrow(&b, width)
			continue
		}
		b.WriteString(style.Muted(t.line(t.columns)) + "\n")
		for _, row := range t.rows {
			b.WriteString(t.line(row) + "\n")
		}
	}
	b.WriteString("\n" + style.Heading("Cost and coverage") + "\n")
	for _, line := range notes(m) {
		hang(&b, width, "  ", line)
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write the fleet report: %w", err)
	}
	return nil
}

// line lays out a row: the first cell to the left, figures to the right.
func (t table) line(row []string) string {
	var b strings.Builder
	for i, cell := range row {
		width := utf8.RuneCountInString(t.columns[i])
		for _, other := range t.rows {
			width = max(width, utf8.RuneCountInString(other[i]))
		}
		space := strings.Repeat(" ", width-utf8.RuneCountInString(cell))
		if i == 0 {
			b.WriteString("  " + cell + space)
		} else {
			b.WriteString("  " + space + cell)
		}
	}
	return b.String()
}
