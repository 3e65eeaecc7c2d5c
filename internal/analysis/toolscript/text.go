package toolscript

import (
	"strconv"
	"strings"
)

// literal parses the string literal at the reader; ok is false if it does not end.
func (r *reader) literal() (text string, ok bool) {
	quote := r.text[r.at]
	raw := strings.HasSuffix(r.text[:r.at], "String.raw")
	var out strings.Builder
	for at := r.at + 1; at < len(r.text); at++ {
		switch c := r.text[at]; {
		case c == quote:
			r.at = at + 1
			return out.String(), true
		case c == '\\' && at+1 < len(r.text):
			if raw && r.text[at+1] != '`' {
				out.WriteByte(c)
				continue
			}
			at = escape(&out, r.text, at+1)
		case c == '$' && quote == '`' && strings.HasPrefix(r.text[at:], "${"):
			at = r.inserted(&out, at)
		case c == '\n' && quote != '`':
			return "", false // an apostrophe
		default:
			out.WriteByte(c)
		}
	}
	return "", false
}

// inserted writes the value of ${name}, or the source if it is unknown, and returns its
// last byte.
func (r *reader) inserted(out *strings.Builder, at int) int {
	end := strings.IndexByte(r.text[at:], '}')
	if end < 0 {
		out.WriteByte('$')
		return at
	}
	name := strings.TrimSpace(r.text[at+2 : at+end])
	if known, ok := r.names[name].(string); ok {
		out.WriteString(known)
	} else {
		out.WriteString(r.text[at : at+end+1])
	}
	return at + end
}

// escape writes the value of the escape whose letter is at at and returns its last byte.
func escape(out *strings.Builder, text string, at int) int {
	const simple = "nrtbfv0"
	switch c := text[at]; {
	case strings.IndexByte(simple, c) >= 0:
		out.WriteByte("\n\r\t\b\f\v\x00"[strings.IndexByte(simple, c)])
	case c == '\n': // a continued line
	case c == 'u' && at+4 < len(text):
		if n, err := strconv.ParseUint(text[at+1:at+5], 16, 32); err == nil {
			out.WriteRune(rune(n))
			return at + 4
		}
		out.WriteByte(c)
	case c == 'x' && at+2 < len(text):
		if n, err := strconv.ParseUint(text[at+1:at+3], 16, 32); err == nil {
			out.WriteRune(rune(n))
			return at + 2
		}
		out.WriteByte(c)
	default:
		out.WriteByte(c)
	}
	return at
}
