package assertion

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/code"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// maxDepth bounds the nesting of expressions that are parsed.
const maxDepth = 12

type span = code.Span

// isWord reports whether a byte may be part of a name, Ruby's and Rust's marks included.
func isWord(c byte) bool { return code.IsName(c) || c == '!' || c == '?' }

// arguments returns the range of each argument in a list; Julia has semicolons between them:
// isapprox(x, y; atol=1e-6).
func arguments(masked string, list span) []span { return code.Split(masked, list, ",;") }

// before returns where the expression that ends at at begins: names, dots and complete
// brackets.
func before(masked string, at int) int {
	i := at
	for i > 0 {
		switch c := masked[i-1]; {
		case code.IsName(c) || c == '.' || c == '"' || c == '\'' || c == ':' || c == '@' || c == '>' && i > 1 && masked[i-2] == '-' || c == '-' && i < len(masked) && masked[i] == '>' || c == '?':
			i--
		case c == ')' || c == ']':
			open := code.Opening(masked, i-1)
			if open < 0 {
				return i
			}
			i = open
		case c == '\n' && strings.HasPrefix(strings.TrimLeft(masked[i:at], " \t"), "."):
			i--
		case (c == ' ' || c == '\t') && strings.HasPrefix(strings.TrimLeft(masked[i:at], " \t"), ".") && strings.TrimSpace(masked[code.LineStart(masked, i):i]) == "":
			i--
		default:
			return i
		}
	}
	return i
}

// splitAt splits a range at an operator outside brackets, which is a word between blanks
// or consists of signs.
func splitAt(masked string, s span, operators []string) []span {
	var out []span
	start := s.From
	for i, depth := range code.Depths(masked, s) {
		if depth != 0 || i < start {
			continue
		}
		if n := code.Operator(masked, i, s, operators); n > 0 {
			out = append(out, code.Trim(masked, code.Between(start, i)))
			start = i + n
		}
	}
	return append(out, code.Trim(masked, code.Between(start, s.To)))
}

// text returns a range of the code on one line, with normalized blanks outside strings
// and normalized quotes.
func (p *source) text(s span) string {
	var b strings.Builder
	source, masked := p.code[s.From:s.To], p.masked[s.From:s.To]
	for i := range len(source) {
		c := source[i]
		inString := masked[i] == ' ' && c != ' ' && c != '\n' && c != '\t' || masked[i] == ' ' && c == ' ' && insideString(masked, i)
		switch {
		case inString:
			b.WriteByte(c)
		case text.IsBlank(c):
			if t := b.String(); t != "" && i+1 < len(source) && code.IsName(t[len(t)-1]) {
				if next := strings.TrimLeft(masked[i:], " \t\r\n"); next != "" && code.IsName(next[0]) {
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
