package picture

import (
	"strings"
	"unicode/utf8"
)

// style is how a terminal shows a piece of text.
type style struct {
	bold   bool
	colour string // number in the palette, or faint; "" for the default
}

// faint is the colour of what is written faint.
const faint = "faint"

// piece is text of one style.
type piece struct {
	text string
	style
}

// line is a line of the terminal.
type line []piece

func (l line) text() string {
	var b strings.Builder
	for _, p := range l {
		b.WriteString(p.text)
	}
	return b.String()
}

// parse reads a line with SGR sequences; other sequences are dropped.
func parse(text string) line {
	var l line
	var now style
	for text != "" {
		plain, rest, found := strings.Cut(text, "\x1b")
		if plain != "" {
			l = append(l, piece{plain, now})
		}
		if !found {
			break
		}
		text = rest
		if !strings.HasPrefix(text, "[") {
			continue
		}
		end := strings.IndexFunc(text[1:], func(r rune) bool { return r >= '@' && r <= '~' })
		if end < 0 {
			break
		}
		if text[1+end] == 'm' {
			now = now.after(strings.Split(text[1:1+end], ";"))
		}
		text = text[2+end:]
	}
	return l
}

// after applies the parameters of one SGR sequence.
func (s style) after(parameters []string) style {
	for i := 0; i < len(parameters); i++ {
		switch p := parameters[i]; {
		case p == "" || p == "0":
			s = style{}
		case p == "1":
			s.bold = true
		case p == "2":
			s.colour = faint
		case p == "22":
			s.bold = false
		case len(p) == 2 && p[0] == '3' && p[1] <= '7':
			s.colour = p[1:]
		case p == "39":
			s.colour = ""
		case p == "38" && i+2 < len(parameters) && parameters[i+1] == "5":
			s.colour = parameters[i+2]
			i += 2
		}
	}
	return s
}

// width returns the number of columns a text takes.
func width(text string) int { return utf8.RuneCountInString(text) }
