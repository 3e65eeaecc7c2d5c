package sessionreport

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/doc"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

const (
	shortestMark = 4   // keeps words of a subject that stand everywhere from being marked
	longestMark  = 300 // bytes
	mostMarks    = 64  // words of one subject: it is anyone's text, the pattern stays small
)

// showEvidence lays out evidence about a subject.
func showEvidence(list []sessionevents.Evidence, subject string) []doc.Quote {
	var shown []doc.Quote
	for _, e := range list {
		v := doc.Quote{Place: evidencePlace(e), Against: against(e.ConflictsWith)}
		marks := marker(subject, e)
		if !marks.MatchString(e.Quote) {
			marks = whole
		}
		if e.Quote != "" {
			for i, text := range strings.Split(e.Quote, "\n") {
				line := doc.QuoteLine{Pieces: pieces(text, marks)}
				if e.Line > 0 {
					line.Number = e.Line + i
				}
				v.Lines = append(v.Lines, line)
			}
		}
		for _, step := range e.Flow {
			v.Flow = append(v.Flow, doc.Step{Role: string(step.Role), Code: step.Code, Number: step.Line})
		}
		shown = append(shown, v)
	}
	return shown
}

// whole marks a line from its first character to its last.
var whole = pattern.Must(`\S(?:.*\S)?`)

// marker finds what evidence is about in its quote: secrets that were replaced
// (SW-7), the subject, its words, the file.
func marker(subject string, e sessionevents.Evidence) *pattern.Regexp {
	words := strings.FieldsFunc(subject, func(r rune) bool { return strings.ContainsRune(" #:,()→", r) })
	words = append(words, subject, subject[strings.LastIndexByte(subject, '/')+1:], e.Path[strings.LastIndexByte(e.Path, '/')+1:])
	words = slices.DeleteFunc(words, func(w string) bool {
		return len(w) < shortestMark || len(w) > longestMark || !utf8.ValidString(w)
	})
	slices.SortFunc(words, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	text := `‹secret:[^›]*›`
	words = slices.Compact(words)
	for _, w := range words[:min(len(words), mostMarks)] {
		text += "|" + regexp.QuoteMeta(w)
	}
	return pattern.Must(text)
}

// pieces cuts a line where marks begin and end.
func pieces(text string, marks *pattern.Regexp) []doc.Piece {
	var cut []doc.Piece
	at := 0
	for _, m := range marks.FindAllStringIndex(text, -1) {
		if m[0] > at {
			cut = append(cut, doc.Piece{Text: text[at:m[0]]})
		}
		cut = append(cut, doc.Piece{Text: text[m[0]:m[1]], Marked: true})
		at = m[1]
	}
	if at < len(text) || len(cut) == 0 {
		cut = append(cut, doc.Piece{Text: text[at:]})
	}
	return cut
}

func evidencePlace(e sessionevents.Evidence) string {
	text := string(e.Kind)
	if e.Path != "" {
		text += " " + quote.Path(e.Path)
	}
	if e.Line > 0 {
		text += ", line " + number(e.Line)
	}
	return page.Plain(text)
}

// against names the earlier thing that evidence contradicts.
func against(e *sessionevents.EarlierEvent) string {
	if e == nil {
		return ""
	}
	text := quote.Passage(e.What)
	if e.Path != "" {
		at := quote.Path(e.Path)
		if e.Line > 0 {
			at += ", line " + number(e.Line)
		}
		text += " in " + at
	}
	if e.Session != "" {
		text += ", session " + quote.Name(e.Session)
	}
	if e.Turn > 0 {
		text += ", turn " + number(e.Turn)
	}
	return page.Plain(text)
}

// classLetter is the class as part of a style's name.
func classLetter(c sessionevents.Class) string {
	switch c {
	case sessionevents.ClassA, sessionevents.ClassB, sessionevents.ClassC, sessionevents.ClassD, sessionevents.ClassE:
		return string(c)
	}
	return "other"
}
