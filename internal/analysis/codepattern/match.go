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

// FunctionIdentifiers are the names in the function around the match.
func (m *Match) FunctionIdentifiers() []string { return identifiers(m.Language, m.FunctionText) }

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
