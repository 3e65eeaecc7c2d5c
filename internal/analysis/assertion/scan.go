package assertion

import (
	"slices"
	"strings"
)

// maxDepth bounds the nesting of expressions that are parsed.
const maxDepth = 12

func isWord(c byte) bool {
	return c == '_' || c == '$' || c == '!' || c == '?' || c-'0' <= 9 || c|0x20-'a' <= 25 || c >= 0x80
}

func isName(c byte) bool { return isWord(c) && c != '!' && c != '?' }

// closing returns the offset of the bracket that closes the one at at, or the text's end
// if the piece was cut.
func closing(masked string, at int) int {
	depth := 0
	for i := at; i < len(masked); i++ {
		switch masked[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth <= 0 {
				return i
			}
		}
	}
	return len(masked)
}

// arguments splits the text between brackets at commas outside nested brackets. It
// returns the range of each argument.
func arguments(masked string, from, to int) []span {
	var out []span
	depth, start := 0, from
	for i := from; i < to; i++ {
		switch masked[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case ',', ';': // Julia: isapprox(x, y; atol=1e-6)
			if depth == 0 {
				out = append(out, trimmed(masked, start, i))
				start = i + 1
			}
		}
	}
	if last := trimmed(masked, start, to); last.to > last.from {
		out = append(out, last)
	}
	return out
}

func trimmed(masked string, from, to int) span {
	for from < to && isBlank(masked[from]) {
		from++
	}
	for to > from && (isBlank(masked[to-1]) || masked[to-1] == ';') {
		to--
	}
	return span{from, to}
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// before returns where the expression that ends at at begins: names, dots and complete
// brackets.
func before(masked string, at int) int {
	i := at
	for i > 0 {
		switch c := masked[i-1]; {
		case isName(c) || c == '.' || c == '"' || c == '\'' || c == ':' || c == '@' || c == '>' && i > 1 && masked[i-2] == '-' || c == '-' && i < len(masked) && masked[i] == '>' || c == '?':
			i--
		case c == ')' || c == ']':
			open := opening(masked, i-1)
			if open < 0 {
				return i
			}
			i = open
		case c == '\n' && strings.HasPrefix(strings.TrimLeft(masked[i:at], " \t"), "."):
			i--
		case (c == ' ' || c == '\t') && strings.HasPrefix(strings.TrimLeft(masked[i:at], " \t"), ".") && strings.TrimSpace(masked[lineStart(masked, i):i]) == "":
			i--
		default:
			return i
		}
	}
	return i
}

// opening returns the offset of the bracket that the one at at closes, -1 for none.
func opening(masked string, at int) int {
	depth := 0
	for i := at; i >= 0; i-- {
		switch masked[i] {
		case ')', ']', '}':
			depth++
		case '(', '[', '{':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

func lineStart(text string, at int) int { return strings.LastIndexByte(text[:at], '\n') + 1 }

func lineEnd(text string, at int) int {
	if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i
	}
	return len(text)
}

// splitAt splits a range at an operator outside brackets, which is a word between blanks
// or consists of signs.
func splitAt(masked string, s span, operators []string) []span {
	var out []span
	depth, start := 0, s.from
	for i := s.from; i < s.to; i++ {
		switch masked[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		}
		if depth != 0 {
			continue
		}
		if n := operatorAt(masked, i, s, operators); n > 0 {
			out = append(out, trimmed(masked, start, i))
			start, i = i+n, i+n-1
		}
	}
	return append(out, trimmed(masked, start, s.to))
}

// operatorAt returns the length of the operator at an offset, 0 for none.
func operatorAt(masked string, at int, s span, operators []string) int {
	k := slices.IndexFunc(operators, func(o string) bool { return strings.HasPrefix(masked[at:s.to], o) })
	if k < 0 {
		return 0
	}
	o := operators[k]
	if isName(o[0]) && (at > s.from && isName(masked[at-1]) || at+len(o) < s.to && isName(masked[at+len(o)])) {
		return 0
	}
	return len(o)
}

// text returns a range of the code on one line, with normalized blanks outside strings
// and normalized quotes.
func (p *piece) text(s span) string {
	var b strings.Builder
	code, masked := p.code[s.from:s.to], p.masked[s.from:s.to]
	for i := range len(code) {
		c := code[i]
		inString := masked[i] == ' ' && c != ' ' && c != '\n' && c != '\t' || masked[i] == ' ' && c == ' ' && insideString(masked, i)
		switch {
		case inString:
			b.WriteByte(c)
		case isBlank(c):
			if t := b.String(); t != "" && i+1 < len(code) && isName(t[len(t)-1]) {
				if next := strings.TrimLeft(masked[i:], " \t\r\n"); next != "" && isName(next[0]) {
					b.WriteByte(' ')
				}
			}
		case c == '\'' || c == '`':
			b.WriteByte('"')
		default:
			b.WriteByte(c)
		}
	}
	return strings.TrimSuffix(b.String(), ",")
}

// insideString reports whether a blank is between two quotes of a masked line.
func insideString(masked string, at int) bool {
	quotes := 0
	for i := at - 1; i >= 0 && masked[i] != '\n'; i-- {
		if c := masked[i]; c == '"' || c == '\'' || c == '`' {
			quotes++
		}
	}
	return quotes%2 == 1
}
