package code

import (
	"iter"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// Quotes are the bytes that begin a string literal.
const Quotes = "\"'`"

// StringEnd returns the offset after the quote that closes the literal at at; at itself if the
// literal does not end, or has a backslash at the end of a line.
func StringEnd(line string, at int) int {
	for i := at + 1; i < len(line); i++ {
		switch {
		case line[i] == line[at]:
			return i + 1
		case line[i] == '\\' && i+1 < len(line) && line[i+1] != '\n':
			i++
		case line[i] == '\\':
			return at
		}
	}
	return at
}

// Tokens yields the names, strings and numbers of a line that is not masked, in order.
func Tokens(line string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for at := 0; at < len(line); {
			end := at
			switch c := line[at]; {
			case c == '"' || c == '\'':
				end = StringEnd(line, at)
			case text.IsDigit(c):
				if end = End(line, at, text.IsDigit); end+1 < len(line) && line[end] == '.' && text.IsDigit(line[end+1]) {
					end = End(line, end+1, text.IsDigit)
				}
			case IsName(c) && c < 0x80:
				end = End(line, at, func(c byte) bool { return IsName(c) && c < 0x80 })
			}
			if end > at && !yield(line[at:end]) {
				return
			}
			at = max(end, at+1)
		}
	}
}

// Literals returns the texts between equal quotes, without them. An escaped quote ends a
// literal as well.
func Literals(line string) (list []string) {
	for {
		at := strings.IndexAny(line, Quotes)
		if at < 0 {
			return list
		}
		text, after, closed := strings.Cut(line[at+1:], line[at:at+1])
		if !closed {
			return list
		}
		list, line = append(list, text), after
	}
}

// OutsideText returns code without the text of its literals, but with what is inserted into
// them: ${x}, {x} of an f-string, #{x}.
func OutsideText(line string) string {
	var out strings.Builder
	quote, format, depth := byte(0), false, 0
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case quote == 0 && strings.IndexByte(Quotes, c) >= 0:
			format = c == '`' || i > 0 && (line[i-1] == 'f' || line[i-1] == 'F' || line[i-1] == '$')
			quote = c
			out.WriteByte(' ')
		case quote == 0:
			out.WriteByte(c)
		case depth > 0 && c == '}':
			depth--
			out.WriteByte(' ')
		case depth > 0:
			out.WriteByte(c)
		case c == '\\':
			i++
		case c == '{' && (format && (quote != '`' || line[i-1] == '$') || i > 0 && (line[i-1] == '$' || line[i-1] == '#')):
			depth++
			out.WriteByte(' ')
		case c == quote:
			quote = 0
			out.WriteByte(' ')
		}
	}
	return out.String()
}
