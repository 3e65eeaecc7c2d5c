package codepattern

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Match is a place in code that a rule describes.
type Match struct {
	Rule       *Rule
	Language   string
	Confidence float64 // 0–1
	// Offset and Length, in bytes, refer to the text of the segment: its added lines joined by
	// newlines. Line is the line in the new file, 0 if not known.
	Offset, Length int
	Line           int
	// Statement is the statement's code, Function the enclosing function's name,
	// "" where the hunk does not show it, FunctionText its code, bounded.
	Statement    string
	Function     string
	FunctionText string
	// Callee is what is called or set; Value the code that was looked at.
	Callee string
	Value  string
	// Origin, Source, SourceLine: where the value comes from, for rules with Flow.
	// Built says that it was put into a text.
	Origin     Origin
	Source     string
	SourceLine int
	Built      bool
	// Flow is the value's way, from its source to the sink.
	Flow []sessionevents.FlowStep
	// Comments are the comments in the statement's lines and on the line above.
	Comments []string
	Imports  []string
	Tier     string // "tree" or "regex"
}

var identifier = pattern.Must(`[A-Za-z_$][\w$]*`)

// Identifiers are the names in the statement and of the function around it, in
// order of appearance, strings and comments left out.
func (m *Match) Identifiers() []string {
	return append(identifiers(m.Language, m.Statement), some(m.Function)...)
}

func identifiers(language, code string) []string {
	masked := masked(language, code)
	var out []string
	seen := map[string]bool{}
	for _, name := range identifier.FindAllString(masked, -1) {
		if !seen[name] {
			seen[name] = true
			out = append(out, name)
		}
	}
	return out
}

// comments are what comment markers introduce in lines of code, found in what
// the masking leaves blank.
func comments(language string, lines []string) []string {
	var out []string
	for _, line := range lines {
		blanked := strings.TrimRight(masked(language, line), " \t")
		if len(blanked) >= len(line) {
			continue
		}
		rest := strings.TrimSpace(line[len(blanked):])
		if rest != "" && strings.ContainsAny(rest[:1], "#/*-") {
			out = append(out, strings.TrimSpace(strings.TrimLeft(rest, "#/*- ")))
		}
	}
	return out
}

// match places a hit in the hunk; false if it touches no added line.
func (r *ruleset) match(t *text, a *analysis, h *hit, p piece) (Match, bool) {
	from, to := h.node.Start, h.node.End
	if h.argument != nil && h.argument.End > h.node.Start {
		to = h.argument.End
	}
	to = min(to, from+maxLength, len(t.code))
	if from < p.start || from >= p.end {
		return Match{}, false // in a helper, which is a separate piece
	}
	first, last := t.lineAt(from), t.lineAt(max(from, to-1))
	at := -1
	for i := first; i <= last && at < 0; i++ {
		if t.lines[i].added {
			at = i
		}
	}
	m := Match{
		Rule: h.rule.Rule, Language: r.name, Confidence: h.confidence, Callee: h.callee, Value: h.argument.Text(),
		Origin: h.part.origin, Source: h.part.source, Built: h.built, Imports: t.imports, Tier: "tree",
	}
	if h.part.node != nil {
		sourceLine := t.lineAt(min(max(h.part.node.Start, 0), len(t.code)-1))
		m.SourceLine = t.lines[sourceLine].number
		if at < 0 && h.flow && t.lines[sourceLine].added { // the sink was there before
			at = sourceLine
		}
	}
	if at < 0 {
		return Match{}, false
	}
	m.Line = t.lines[at].number
	m.Offset = t.lines[at].offset + max(0, from-t.lines[at].start)
	m.Length = min(to, t.end(at)) - max(from, t.lines[at].start)
	if at > last || m.Length <= 0 {
		m.Offset, m.Length = t.lines[at].offset, t.end(at)-t.lines[at].start
	}
	if h.flow {
		m.Flow = t.flow(h, p, first)
	}
	r.context(t, a, h, p, &m, first, last)
	return m, true
}

// end is where a line's text ends.
func (t *text) end(i int) int {
	if i+1 < len(t.lines) {
		return t.lines[i+1].start - 1
	}
	return len(t.code) - 1
}

// context fills in the context of a match.
func (r *ruleset) context(t *text, a *analysis, h *hit, p piece, m *Match, first, last int) {
	statement := h.node
	for statement.Parent != nil && !strings.HasSuffix(statement.Kind, "_statement") && !strings.HasSuffix(statement.Kind, "_declaration") &&
		!a.holdsStatements(statement.Parent) && statement.Parent.Parent != nil {
		if statement.End-statement.Start > pieceBytes/4 {
			break
		}
		statement = statement.Parent
	}
	m.Statement = shorten(statement.Text())
	m.Function = p.function
	for n := h.node; n != nil; n = n.Parent {
		if a.role(n) == roleFunction {
			m.FunctionText = shorten(n.Text())
			for name, f := range a.functions {
				if f == n {
					m.Function = name
				}
			}
			if m.Function != "" {
				break
			}
		}
	}
	if m.FunctionText == "" {
		m.FunctionText = shorten(t.code[p.start:p.end])
	}
	var lines []string
	for i := max(0, first-1); i <= last; i++ {
		lines = append(lines, t.code[t.lines[i].start:t.end(i)])
	}
	m.Comments = comments(r.name, lines)
}

// plainly is the tier without trees: the rules' regular expressions over added
// lines whose comments are masked.
func (r *ruleset) plainly(t *text, active []*compiled) []Match {
	var out []Match
	bare := masked(r.name, t.code)
	for _, c := range active {
		if c.plain == nil || c.unless != nil && c.unless.MatchString(t.code) {
			continue
		}
		for _, m := range c.plain.FindAllStringIndex(t.code, maxHits) {
			i := t.lineAt(m[0])
			if !t.lines[i].added || m[0] >= len(bare) || bare[m[0]] != t.code[m[0]] {
				continue
			}
			end := min(m[1], t.end(i))
			found := Match{
				Rule: c.Rule, Language: r.name, Confidence: min(c.PlainConfidence, PlainCap), Line: t.lines[i].number,
				Offset: t.lines[i].offset + m[0] - t.lines[i].start, Length: end - m[0],
				Statement: strings.TrimSpace(t.code[t.lines[i].start:t.end(i)]), FunctionText: shorten(t.code),
				Callee: shortSource(t.code[m[0]:end]), Imports: t.imports, Tier: "regex",
			}
			if c.Flow != nil {
				found.Origin = Unknown
			}
			var lines []string
			for at := max(0, i-1); at <= i; at++ {
				lines = append(lines, t.code[t.lines[at].start:t.end(at)])
			}
			found.Comments = comments(r.name, lines)
			out = append(out, found)
		}
	}
	return out
}
