package backtestreport

import (
	"io"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/doc"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
)

// RenderMarkdown is the report in its Markdown form.
func RenderMarkdown(w io.Writer, m Model) error { return Report(m).Write(w, "md", doc.Screen{}) }

// RenderJSON is the report in its JSON form.
func RenderJSON(w io.Writer, m Model) error { return Report(m).Write(w, "json", doc.Screen{}) }

// RenderText is the report for a terminal.
func RenderText(w io.Writer, m Model, width int, style page.Style) error {
	return Report(m).Write(w, "text", doc.Screen{Width: width, Style: style})
}

// RenderHTML is the report as a page.
func RenderHTML(w io.Writer, m Model) error { return Report(m).Write(w, "html", doc.Screen{}) }
