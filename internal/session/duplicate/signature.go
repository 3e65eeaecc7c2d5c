package duplicate

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/code"
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
	if at := code.Find(list, s.Name, 0); open != 0 && at >= 0 {
		at += len(s.Name)
		if rest := strings.IndexByte(list[at:], '('); rest >= 0 && !strings.ContainsAny(list[at:at+rest], "),;{") {
			open = at + rest
		}
	}
	if open < 0 {
		return strings.TrimSuffix(strings.TrimPrefix(list, "|"), "|")
	}
	return list[open+1 : code.Closing(list, open)]
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
