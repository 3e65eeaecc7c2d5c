package page

import (
	"strings"
	"unicode/utf8"
)

// minWidth is the narrowest a line is wrapped to; the longest words are wider.
const minWidth = 20

// Screen is the text of a report being laid out for a terminal of so many columns (0 or less:
// lines are not wrapped).
type Screen struct {
	strings.Builder
	Width int
	Style Style
}

// NewScreen returns an empty screen; a nil style is plain.
func NewScreen(width int, style Style) Screen {
	if style == nil {
		style = PlainStyle{}
	}
	return Screen{Width: width, Style: style}
}

// Line writes untrusted text after a mark, wrapped under its beginning. The look is put on
// each line by itself, so that it never crosses a border.
func (s *Screen) Line(mark, text string, look func(string) string) {
	indent := utf8.RuneCountInString(mark)
	width := s.Width
	if width > 0 {
		width = max(width-indent, minWidth)
	}
	for i, l := range Wrap(Plain(text), width) {
		if i > 0 {
			mark = strings.Repeat(" ", indent)
		}
		s.WriteString(mark + look(l) + "\n")
	}
}

// Heading begins a part.
func (s *Screen) Heading(text string) {
	s.WriteByte('\n')
	s.Line("", text, s.Style.Heading)
}
