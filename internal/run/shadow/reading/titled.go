package reading

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// numberedTitle is a number before a title: "1. ", "2) ".
var numberedTitle = pattern.Must(`^\d{1,3}[.)]\s+`)

// nothing matches what a report without findings writes in their place.
var nothing = pattern.Must(`(?i)^\W*(?:none(?: found)?|nothing(?: found)?|n/?a|no|0|no (?:such )?(?:issues?|findings?|problems?)(?: found)?)\b[^\pL]*$`)

// compileMarker compiles the words that introduce a single finding: "Challenge 2: x",
// "Finding #1 - x", "Concern: x".
func (f *FindingReader) compileMarker(from pattern.Compiler) error {
	if len(f.Markers) == 0 {
		return nil
	}
	var err error
	f.marker, err = from.Go("finding_markers", `(?i)^(?:\*\*|__)?(?:`+strings.Join(f.Markers, "|")+`)(?:\s*#?\s*\d{1,3}\s*(?:[:.)–—-]|\*\*|__|$)|\s*:)(?:\*\*|__|[:\s])*`)
	return err
}

// marked removes the words that introduce a finding from the front of a text.
func (f *FindingReader) marked(text string) (rest string, ok bool) {
	if f.marker == nil {
		return text, false
	}
	at := f.marker.FindStringIndex(text)
	if at == nil {
		return text, false
	}
	return text[at[1]:], true
}

// announced returns the finding that a title introduces: by its word, by a severity set
// off from its text or, among findings, by its number.
func (s *listState) announced(title string, level int) (runevents.Finding, bool) {
	rest := title
	number := numberedTitle.FindString(title)
	rest, marked := s.reader.marked(rest[len(number):])
	severity, text := s.reader.tagged(rest, marked)
	inside := s.level > 0 && level > s.level || s.rank > 0 && level > s.rank
	switch {
	case nothing.MatchString(text):
		return runevents.Finding{}, false
	case marked:
	case level >= labelLevel: // "CRITICAL: x" in prose is not a finding (RW-8)
		return runevents.Finding{}, false
	case severity != "" && text != "":
	case number == "" || !inside:
		return runevents.Finding{}, false
	}
	if severity == "" {
		severity = s.severity
	}
	return runevents.Finding{Severity: severity, Text: text}, true
}

// announce adds the finding of a title; the text up to the next title belongs to
// it.
func (s *listState) announce(f runevents.Finding, level int) {
	if level <= s.rank {
		s.severity, s.rank = "", 0
	}
	s.add(f)
	s.titled, s.indent = true, -1
}
