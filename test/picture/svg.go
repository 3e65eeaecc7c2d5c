package picture

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

// Measures in pixels: a character's cell, the margin, the title bar.
const (
	cellWidth  = 8.4
	cellHeight = 19
	margin     = 20
	bar        = 36
)

// palette are the colours of internal/edge/terminal on a dark ground.
var palette = map[string]string{"": "#d6dae0", faint: "#8b939e", "1": "#ff8787", "2": "#5fd787", "3": "#ffd75f"}

const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %[1]d %[2]d" width="%[1]d" height="%[2]d" role="img" aria-label="%[3]s">
<style>text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono","Liberation Mono",monospace;white-space:pre}.b{font-weight:700}</style>
<rect x=".5" y=".5" width="%[4]d" height="%[5]d" rx="10" fill="#15181e" stroke="#3a404b"/>
<circle cx="22" cy="18" r="6" fill="#ff5f57"/><circle cx="42" cy="18" r="6" fill="#febc2e"/><circle cx="62" cy="18" r="6" fill="#28c840"/>
<text x="%[6]d" y="23" text-anchor="middle" fill="#8b939e">%[3]s</text>
`

// draw renders the lines as a window with a dark background of its own, so that it is readable on any page.
func draw(out io.Writer, title string, columns int, lines []line) error {
	wide := int(float64(columns)*cellWidth) + 2*margin
	high := bar + len(lines)*cellHeight + margin
	var b bytes.Buffer
	fmt.Fprintf(&b, head, wide, high, escape(title), wide-1, high-1, wide/2)
	for i, l := range lines {
		column := 0
		for _, p := range l {
			drawPiece(&b, p, column, bar+14+i*cellHeight)
			column += width(p.text)
		}
	}
	b.WriteString("</svg>\n")
	_, err := out.Write(b.Bytes())
	return err
}

// drawPiece draws each run of words where the terminal has it, whatever the
// width of the reader's font.
func drawPiece(b *bytes.Buffer, p piece, column, y int) {
	text := strings.TrimRight(p.text, " ")
	words := strings.TrimLeft(text, " ")
	if words == "" {
		return
	}
	column += width(text) - width(words)
	if symbol, rest, ok := strings.Cut(words, " "); ok && width(symbol) == 1 && symbol[0] >= 0x80 && strings.Trim(rest, " ") != "" {
		drawPiece(b, piece{symbol, p.style}, column, y) // a symbol's width differs most between fonts
		drawPiece(b, piece{" " + rest, p.style}, column+1, y)
		return
	}
	class := ""
	if p.bold {
		class = ` class="b"`
	}
	colour, known := palette[p.colour]
	if !known {
		colour = palette[""]
	}
	fmt.Fprintf(b, `<text x="%.1f" y="%d" fill="%s"%s textLength="%.1f">%s</text>`+"\n",
		margin+float64(column)*cellWidth, y, colour, class, float64(width(words))*cellWidth, escape(asText(words)))
}

// asText asks for the symbol's plain form rather than a coloured picture.
func asText(text string) string { return strings.ReplaceAll(text, "⚡", "⚡\ufe0e") }

func escape(text string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(text)) // a buffer takes everything
	return b.String()
}
