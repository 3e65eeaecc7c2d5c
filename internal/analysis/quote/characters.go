package quote

import (
	"strings"
	"unicode"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// maxMarks bounds the accents on one letter, since more of them cover adjacent lines.
const maxMarks = 2

// line returns a text as one line of visible characters.
func line(s string) string {
	var out strings.Builder
	space, marks := false, 0
	for _, r := range withoutSequences(text.Valid(s)) {
		switch {
		case unicode.IsSpace(r):
			space = out.Len() > 0
			continue
		case invisible(r):
			continue
		case unicode.Is(unicode.Mn, r):
			if marks++; marks > maxMarks {
				continue
			}
		default:
			marks = 0
		}
		if space {
			out.WriteByte(' ')
			space = false
		}
		out.WriteRune(r)
	}
	return out.String()
}

// blank holds letters, marks and symbols without a visible form, and selectors that can
// hide text.
var blank = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x034F, Hi: 0x034F, Stride: 1},
		{Lo: 0x115F, Hi: 0x1160, Stride: 1},
		{Lo: 0x17B4, Hi: 0x17B5, Stride: 1},
		{Lo: 0x180B, Hi: 0x180F, Stride: 1},
		{Lo: 0x2800, Hi: 0x2800, Stride: 1},
		{Lo: 0x3164, Hi: 0x3164, Stride: 1},
		{Lo: 0xFE00, Hi: 0xFE0F, Stride: 1},
		{Lo: 0xFFA0, Hi: 0xFFA0, Stride: 1},
	},
	R32: []unicode.Range32{{Lo: 0xE0000, Hi: 0xE0FFF, Stride: 1}},
}

// invisible reports whether a character has no visible form: it controls, directs or
// separates.
func invisible(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Co, unicode.Cs, blank)
}

// withoutSequences removes the sequences that terminals interpret: colours, titles,
// links, the clipboard. The rest of a broken one is kept as text.
func withoutSequences(text string) string {
	if !strings.ContainsAny(text, "\x1b\u009b\u009d") {
		return text
	}
	var out strings.Builder
	for text != "" {
		at := strings.IndexAny(text, "\x1b\u009b\u009d")
		if at < 0 {
			break
		}
		out.WriteString(text[:at])
		text = text[at+sequence(text[at:]):]
	}
	return out.String() + text
}

// sequence returns the length of the terminal sequence that begins a text.
func sequence(text string) int {
	rest, kind := strings.CutPrefix(text, "\x1b")
	switch {
	case kind && rest == "":
		return 1
	case kind && rest[0] == '[', strings.HasPrefix(text, "\u009b"):
		return parameters(text)
	case kind && strings.IndexByte("]PX^_", rest[0]) >= 0, strings.HasPrefix(text, "\u009d"):
		return operating(text)
	}
	return len(text) - len(rest)
}

// parameters returns the length of a control sequence, up to its final character.
func parameters(text string) int {
	for i := len("\x1b["); i < len(text); i++ {
		switch c := text[i]; {
		case c >= 0x40 && c <= 0x7e:
			return i + 1
		case c < 0x20 || c > 0x7e: // incomplete
			return i
		}
	}
	return len(text)
}

// operating returns the length of an operating system command, up to a bell or
// terminator, otherwise to the end of its line.
func operating(text string) int {
	for i, r := range text {
		switch {
		case r == '\a':
			return i + 1
		case r == '\u009c':
			return i + len("\u009c")
		case i > 1 && r == '\x1b':
			if strings.HasPrefix(text[i:], "\x1b\\") {
				return i + 2
			}
			return i
		case r == '\n':
			return i
		}
	}
	return len(text)
}
