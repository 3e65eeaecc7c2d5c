package runreport

import (
	"fmt"
	"io"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
)

// heading names every form of the report.
const heading = "SCAFFOLD-WATCH RUN REPORT"

// RenderMarkdown writes the report. The same model gives the same bytes; the
// error is the writer's.
func RenderMarkdown(w io.Writer, m Model) error {
	p := markdown{}
	p.head(m)
	for _, one := range layOut(m) {
		p.part(one)
	}
	if _, err := io.WriteString(w, strings.TrimRight(p.String(), "\n")+"\n"); err != nil {
		return fmt.Errorf("write the report of run %s: %w", m.Run.ID, err)
	}
	return nil
}

// markdown is a document being written.
type markdown struct{ strings.Builder }

func (p *markdown) paragraph(text string) { p.WriteString(text + "\n\n") }

func (p *markdown) head(m Model) {
	p.paragraph("## " + heading)
	p.paragraph(page.Item(identity(m)))
	if m.Run.Goal != "" {
		p.paragraph("Goal: " + page.Inline(passage(m.Run.Goal)))
	}
	p.paragraph(page.Item(ending(m)))
	if text := period(m); text != "" {
		p.paragraph(page.Item(text))
	}
	if gap := notWatched(m); gap != "" {
		p.paragraph("**" + page.Inline(gap) + "**")
	}
	for _, f := range figures(m) {
		fmt.Fprintf(p, "- **%s:** %s\n", f.Name, page.Inline(f.Value))
	}
	p.WriteByte('\n')
}

func (p *markdown) part(one part) {
	p.paragraph("### " + one.Title)
	for _, c := range one.Cards {
		p.paragraph("**" + page.Inline(c.Title) + "**")
		p.list(c.Lines)
	}
	p.table(one.Table)
	p.list(one.Items)
	if one.nothing() {
		p.paragraph(page.Item(one.Empty))
	}
}

func (p *markdown) list(items []entry) {
	if len(items) == 0 {
		return
	}
	for _, i := range items {
		p.WriteString("- " + page.Item(i.Text) + "\n")
	}
	p.WriteByte('\n')
}

func (p *markdown) table(t table) {
	if len(t.Rows) == 0 {
		return
	}
	p.WriteString("| " + strings.Join(t.Columns, " | ") + " |\n|" + strings.Repeat("---|", len(t.Columns)) + "\n")
	for _, row := range t.Rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = page.Inline(cell)
		}
		p.WriteString("| " + strings.Join(cells, " | ") + " |\n")
	}
	p.WriteByte('\n')
}
