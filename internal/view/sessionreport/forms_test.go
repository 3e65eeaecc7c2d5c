package sessionreport

import (
	"fmt"
	"io"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/doc"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
)

// RenderMarkdown is the report in its Markdown form.
func RenderMarkdown(w io.Writer, m Model) error { return doc.WriteMarkdown(w, Prescribed(m)) }

// RenderJSON is the report in its JSON form.
func RenderJSON(w io.Writer, m Model) error { return doc.WriteJSON(w, "session "+m.Session.ID, m) }

// RenderText is the report for a terminal, with how it was decided.
func RenderText(w io.Writer, m Model, width int, style page.Style) error {
	return doc.WriteText(w, Document(m), doc.Screen{Width: width, Style: style, Explain: true})
}

// RenderHTML is the page of reports.
func RenderHTML(w io.Writer, models ...Model) error { return doc.WriteHTML(w, Page(models...)) }

// RenderDone is the ledgers as text or Markdown.
func RenderDone(w io.Writer, markdown bool, models ...Model) error {
	for _, m := range models {
		write := func() error { return doc.WriteText(w, Ledger(m, false), doc.Screen{}) }
		if markdown {
			write = func() error { return doc.WriteMarkdown(w, Ledger(m, false)) }
		}
		if err := write(); err != nil {
			return fmt.Errorf("ledger: %w", err)
		}
	}
	return nil
}
