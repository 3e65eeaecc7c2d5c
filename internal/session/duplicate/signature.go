package duplicate

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// maxParameters bounds the parameters that are compared.
const maxParameters = 12

// signatures compares parameters. Two empty lists give no information.
func (m *Measure) signatures(new, old *sessionevents.Symbol) Part {
	if kindOf(new) != "callable" || kindOf(old) != "callable" {
		return Part{}
	}
	a, b := m.parameters(new), m.parameters(old)
	if len(a)+len(b) == 0 {
		return Part{}
	}
	used := make([]bool, len(b))
	sum := 0.0
	for _, p := range a {
		best, at := 0.0, -1
		for i, q := range b {
			if s := p.like(q); !used[i] && s > best {
				best, at = s, i
			}
		}
		if at >= 0 {
			used[at] = true
			sum += best
		}
	}
	return Part{2 * sum / float64(len(a)+len(b)), true}
}

// parameter is one parameter's name and type, as far as they are given.
type parameter struct{ name, kind string }

// like returns the similarity of two parameters: the same type with another name counts
// half.
func (p parameter) like(q parameter) float64 {
	names := similarity.Names(p.name, q.name)
	if p.kind == "" || q.kind == "" {
		return names
	}
	if p.kind == q.kind {
		return max(names, 0.5)
	}
	return names * 0.7
}

// parameters splits a signature "(a: int, b=3)" at its outer commas; receivers
// are left out.
func (m *Measure) parameters(s *sessionevents.Symbol) []parameter {
	list := parameterList(s)
	var out []parameter
	depth, start := 0, 0
	for i := 0; i <= len(list) && len(out) < maxParameters; i++ {
		if i < len(list) {
			switch list[i] {
			case '(', '[', '{', '<':
				depth++
			case ')', ']', '}':
				depth--
			case '>':
				if i > 0 && list[i-1] != '=' && list[i-1] != '-' {
					depth--
				}
			}
			if depth > 0 || list[i] != ',' {
				continue
			}
		}
		if p := m.parameter(list[start:i], s.Language); p.name != "" && !m.Receivers[p.name] {
			out = append(out, p)
		}
		start = i + 1
	}
	return out
}

// parameterList returns the text between the parentheses of a signature: "(a, b)",
// "name(a, b)" or a full declaration, "func (c *Client) name(a int) error".
func parameterList(s *sessionevents.Symbol) string {
	list := strings.TrimSpace(s.Signature)
	open := strings.IndexByte(list, '(')
	if at := nameIn(list, s.Name); open != 0 && at >= 0 {
		if rest := strings.IndexByte(list[at:], '('); rest >= 0 && !strings.ContainsAny(list[at:at+rest], "),;{") {
			open = at + rest
		}
	}
	if open < 0 {
		return strings.TrimSuffix(strings.TrimPrefix(list, "|"), "|")
	}
	return upToBracket(list[open+1:])
}

// nameIn returns the offset after a name that occurs as a whole word, -1 if there is
// none.
func nameIn(text, name string) int {
	for from := 0; name != ""; {
		at := strings.Index(text[from:], name)
		if at < 0 {
			return -1
		}
		start, end := from+at, from+at+len(name)
		if (start == 0 || !isWord(text[start-1])) && (end == len(text) || !isWord(text[end])) {
			return end
		}
		from = end
	}
	return -1
}

func isWord(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// upToBracket returns the text up to the bracket that closes an earlier one.
func upToBracket(text string) string {
	depth := 1
	for i := range len(text) {
		switch text[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return text[:i]
			}
		}
	}
	return text
}

const marks = " \t*&.$'@?#\"|"

// parameter parses "name: type = default", "name type" or, in the languages of
// `type_first`, "type name".
func (m *Measure) parameter(text, language string) parameter {
	if i := strings.IndexByte(text, '='); i > 0 {
		text = text[:i]
	}
	name, kind, typed := strings.Cut(text, ":")
	if !typed {
		fields := strings.Fields(text)
		switch n := len(fields); {
		case n > 1 && m.TypeFirst[language]:
			name, kind = fields[n-1], fields[n-2]
		case n > 1:
			name, kind = fields[0], fields[n-1]
		}
	}
	name = strings.TrimPrefix(strings.Trim(name, marks), "mut ")
	return parameter{strings.ToLower(name), strings.Trim(kind, marks)}
}
