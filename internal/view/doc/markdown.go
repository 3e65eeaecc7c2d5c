package doc

import (
	"fmt"
	"io"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
)

// WriteMarkdown writes a document as Markdown. The same document gives the same bytes; the error
// is the writer's.
func WriteMarkdown(w io.Writer, d Document) error {
	var m markdown
	m.paragraph("## " + page.Escape(d.Heading))
	for _, b := range Markdown.in(d.Lead) {
		m.block(b)
	}
	for _, p := range d.Parts {
		if p.in(Markdown) {
			m.part(p)
		}
	}
	if _, err := io.WriteString(w, strings.TrimRight(m.String(), "\n")+"\n"); err != nil {
		return fmt.Errorf("write the report of %s: %w", d.Of, err)
	}
	return nil
}

// markdown is a document being written.
type markdown struct{ strings.Builder }

// paragraph writes a line as a paragraph of its own. Its text is Markdown already.
func (m *markdown) paragraph(text string) { m.WriteString(text + "\n\n") }

func (m *markdown) part(p Part) {
	switch {
	case p.Title == "":
	case p.Prescribed:
		m.paragraph("**" + page.Inline(p.Title) + ":**")
	default:
		m.paragraph("### " + page.Inline(p.Title))
	}
	if p.Nothing() {
		m.paragraph(page.Item(p.Empty))
	}
	for _, b := range Markdown.in(p.Blocks) {
		m.block(b)
	}
}

func (m *markdown) block(b Block) {
	switch b := b.(type) {
	case *Paragraph:
		m.said(b)
	case Figures:
		for _, f := range b {
			fmt.Fprintf(m, "- **%s:** %s\n", page.Inline(f.Name), page.Inline(f.Value))
		}
		m.WriteByte('\n')
	case *List:
		m.list(b.Items)
	case *Card:
		m.paragraph("**" + page.Inline(b.Mark+b.Title) + "**")
		items := b.Lines
		for _, q := range b.quotes() {
			items = append(items[:len(items):len(items)], Entry{Text: q})
		}
		m.list(items)
	case *Table:
		m.table(b)
	case *Timeline:
		for _, g := range b.Groups {
			m.WriteString("- " + page.Item(g.words()) + "\n")
		}
		m.WriteByte('\n')
	case *Picture:
		if b.Words != "" {
			m.paragraph(page.Escape(b.Words))
		}
	}
}

func (m *markdown) said(p *Paragraph) {
	switch {
	case p.Form != "":
		m.paragraph(p.said(page.Inline))
	case p.Label != "":
		m.paragraph("**" + page.Inline(p.Label) + ":** " + page.Inline(p.Text))
	case p.Tone == Bad:
		m.paragraph("**" + page.Inline(p.Text) + "**")
	default:
		m.paragraph(page.Item(p.Text))
	}
}

func (m *markdown) list(items []Entry) {
	if len(items) == 0 {
		return
	}
	for _, e := range items {
		text := page.Item(e.Text)
		if e.Command != "" {
			text += " " + page.Inline(e.Command)
		}
		m.WriteString("- " + text + "\n")
	}
	m.WriteByte('\n')
}

func (m *markdown) table(t *Table) {
	if t.Caption != "" {
		m.paragraph(page.Escape(t.Caption) + ":")
	}
	rule := "---|"
	if t.Figures {
		rule = "---:|"
	}
	m.WriteString("| " + strings.Join(t.Columns, " | ") + " |\n|---|" + strings.Repeat(rule, len(t.Columns)-1) + "\n")
	for _, row := range t.Rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = page.Inline(cell.Text)
		}
		m.WriteString("| " + strings.Join(cells, " | ") + " |\n")
	}
	m.WriteByte('\n')
}
