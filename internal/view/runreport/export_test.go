package runreport

import (
	"io"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/doc"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sessionreport"
)

// RenderParts writes only the parts of those titles, for tests.
func RenderParts(w io.Writer, m Model, titles []string) error {
	d := Document(m)
	d.Parts = slices.DeleteFunc(d.Parts, func(p doc.Part) bool { return !slices.Contains(titles, p.Title) || p.Nothing() })
	return doc.WriteParts(w, d, doc.Screen{Explain: true})
}

// Parts is how many parts a report has.
func Parts(m Model) int { return len(layOut(m)) }

// RenderMarkdown is the report in its Markdown form.
func RenderMarkdown(w io.Writer, m Model) error { return doc.WriteMarkdown(w, Document(m)) }

// RenderJSON is the report in its JSON form.
func RenderJSON(w io.Writer, m Model) error { return doc.WriteJSON(w, "run "+m.Run.ID, m) }

// RenderText is the report for a terminal.
func RenderText(w io.Writer, m Model, width int, style page.Style) error {
	return doc.WriteText(w, Document(m), doc.Screen{Width: width, Style: style, Explain: true})
}

// RenderConclusions is what follows from the decisions of a run.
func RenderConclusions(w io.Writer, m Model, width int, style page.Style) error {
	return doc.WriteParts(w, Conclusions(m), doc.Screen{Width: width, Style: style, Explain: true})
}

// RenderHTML is the page of reports.
func RenderHTML(w io.Writer, sessions []sessionreport.Model, runs ...Model) error {
	return doc.WriteHTML(w, Page(sessions, runs...))
}
