package prose

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// blocks returns the paragraphs, headings, list items and table rows of a Markdown-like
// text, without their markers. Fenced and indented code and block quotes are left out.
func blocks(text string) []Span {
	b := blockReader{text: text, blank: true}
	for at := 0; at < len(text); {
		end := strings.IndexByte(text[at:], '\n')
		next := at + end + 1
		if end < 0 {
			end, next = len(text)-at, len(text)
		}
		b.line(at, at+end)
		at = next
	}
	b.flush()
	return b.out
}

type blockReader struct {
	text  string
	out   []Span
	open  Span
	fence string
	blank bool // the previous line was blank
	list  bool // inside a list, where indentation does not mark code
}

func (b *blockReader) flush() {
	if b.open.To > b.open.From {
		b.out = append(b.out, b.open)
	}
	b.open = Span{}
}

func (b *blockReader) line(from, to int) {
	line := b.text[from:to]
	trimmed := strings.TrimLeft(line, " \t")
	indent := len(line) - len(trimmed)
	start := to - len(trimmed)
	trimmed = strings.TrimRight(trimmed, " \t\r")
	wasBlank := b.blank
	b.blank = false
	switch {
	case b.fence != "":
		if strings.HasPrefix(trimmed, b.fence) {
			b.fence = ""
		}
	case strings.HasPrefix(trimmed, "```"), strings.HasPrefix(trimmed, "~~~"):
		b.flush()
		b.fence = trimmed[:3]
	case trimmed == "":
		b.flush()
		b.blank = true
	case wasBlank && !b.list && (indent >= 4 || strings.HasPrefix(line, "\t")):
		b.flush() // indented code
		b.blank = true
	case trimmed[0] == '>':
		b.flush()
	case trimmed[0] == '#':
		b.flush()
		b.list = false
		b.add(start+len(trimmed)-len(strings.TrimLeft(trimmed, "# ")), to)
		b.flush()
	case trimmed[0] == '|':
		b.flush()
		b.add(start, to)
		b.flush()
	case marker(trimmed) > 0:
		b.flush()
		b.list = true
		b.add(start+marker(trimmed), to)
	default:
		if ticked(trimmed) {
			b.flush()
		}
		b.list = b.list && (indent > 0 || !wasBlank)
		b.add(start, to)
	}
}

func (b *blockReader) add(from, to int) {
	if b.open.To == b.open.From {
		b.open.From = from
	}
	b.open.To = to
}

// ticked reports whether a line begins with a pictograph, such as a tick, and so is an item of its own.
func ticked(line string) bool {
	first, _ := utf8.DecodeRuneInString(line)
	return unicode.Is(unicode.So, first)
}

// marker returns the length of a list marker with its task box, 0 if there is none.
func marker(line string) int {
	n := 0
	switch line[0] {
	case '-', '*', '+':
		n = 1
	default:
		for n < len(line) && n < 3 && line[n] >= '0' && line[n] <= '9' {
			n++
		}
		if n == 0 || n >= len(line) || line[n] != '.' && line[n] != ')' {
			if strings.HasPrefix(line, "• ") {
				return len("• ")
			}
			return 0
		}
		n++
	}
	if n >= len(line) || line[n] != ' ' && line[n] != '\t' {
		return 0
	}
	n++
	for _, box := range []string{"[ ] ", "[x] ", "[X] "} {
		if strings.HasPrefix(line[n:], box) {
			n += len(box)
		}
	}
	return n
}

// maxQuote is the maximum length of a quote in bytes; a mark that is not closed within it
// means something else, such as inches.
const maxQuote = 300

// maskQuotes overwrites quoted text, within a line.
func maskQuotes(text []byte) string {
	for at := 0; at < len(text); at++ {
		switch text[at] {
		case '"':
			at = maskUntil(text, at, func(i int) bool { return text[i] == '"' })
		case '\'':
			if opensQuote(text, at) {
				at = maskUntil(text, at, func(i int) bool { return closesQuote(text, i) })
			}
		}
	}
	return string(text)
}

func maskUntil(text []byte, open int, closes func(int) bool) int {
	for i := open + 1; i < len(text) && i-open <= maxQuote && text[i] != '\n'; i++ {
		if closes(i) {
			for j := open + 1; j < i; j++ {
				text[j] = Mask
			}
			return i
		}
	}
	return open
}

// opensQuote and closesQuote distinguish a quotation mark from an apostrophe: it has
// white space or a bracket outside and a word inside.
func opensQuote(text []byte, at int) bool {
	outside := at == 0 || isOneOf(text[at-1], " \n(:[")
	return outside && at+1 < len(text) && !isOneOf(text[at+1], " \n'")
}

func closesQuote(text []byte, at int) bool {
	if text[at] != '\'' || isOneOf(text[at-1], " \n") {
		return false
	}
	return at+1 == len(text) || isOneOf(text[at+1], " \n.,;:!?)]")
}

func isOneOf(c byte, set string) bool {
	for i := range len(set) {
		if set[i] == c {
			return true
		}
	}
	return false
}
