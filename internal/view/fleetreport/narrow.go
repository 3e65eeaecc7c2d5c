package fleetreport

import (
	"strings"
	"unicode/utf8"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
)

// width is how many columns a table takes.
func (t table) width() int { return utf8.RuneCountInString(t.line(t.columns)) }

// narrow writes a row as text: its name, and each figure with its column. What is
// zero or not known is left out, so that a line says what there is.
func (t table) narrow(b *strings.Builder, width int) {
	for _, row := range t.rows {
		var cells []string
		for i, cell := range row[1:] {
			if cell != "0" && cell != "–" {
				cells = append(cells, t.columns[i+1]+" "+cell)
			}
		}
		hang(b, width, "  ", row[0]+": "+strings.Join(cells, ", "))
	}
}

// hang writes a text below its indent, the lines after the first further in.
func hang(b *strings.Builder, width int, indent, text string) {
	room := 0
	if width > 0 {
		room = max(width-len(indent)-2, 20)
	}
	for i, line := range page.Wrap(text, room) {
		if i == 1 {
			indent += "  "
		}
		b.WriteString(indent + line + "\n")
	}
}
