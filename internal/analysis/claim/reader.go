package claim

import (
	"slices"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// longest is the maximum length in bytes of a sentence with a claim: longer ones are
// lists and explanations. A short one in an East Asian language has at least four bytes.
const longest, shortest = 420, 4

// Claim is a clause that claims something.
type Claim struct {
	Kind sessionevents.ClaimKind
	// Text is the clause; Offset and Length locate it in the sentence, in bytes.
	Text           string
	Offset, Length int
	// Named are the files, variables or addresses that the clause is about, in order.
	Named []string
	Scope Scope
}

// Read returns the claims of a sentence, in order of its clauses; line is the beginning
// of the line that contains it, by which headings, quotes and check boxes are recognized.
func (r *Reader) Read(sentence, line string) []Claim {
	text := strings.TrimSpace(sentence)
	if len(text) > longest || len(text) < shortest || !r.Marks.MatchString(text) || strings.HasSuffix(text, "?") || r.Foreign.MatchString(line) {
		return nil
	}
	doc := prose.Parse(text)
	if doc.Text == "" {
		return nil
	}
	s := &sentenceReader{Reader: r, doc: doc, masked: r.unmasked(doc), labelled: r.Labels.MatchString(doc.Text)}
	s.planned = r.Plans.MatchString(s.masked)
	for _, c := range r.clauses(s.masked) {
		s.clause(c)
	}
	s.spanning()
	indent := strings.Index(sentence, text)
	for i := range s.found {
		s.found[i].Offset += indent
	}
	return s.found
}

// unmasked returns a masked sentence with the names of checks in its code spans as they are written.
func (r *Reader) unmasked(doc *prose.Document) string {
	out, at := doc.Masked, 0
	for i, span := range strings.Split(doc.Text, "`") {
		if name := r.Spans.FindString(span); i%2 == 1 && name != "" {
			out = out[:at] + name + out[at+len(name):]
		}
		at += len(span) + 1
	}
	return out
}

// clauses splits a sentence where a new statement begins.
func (r *Reader) clauses(masked string) []prose.Span {
	from := 0
	var out []prose.Span
	for _, at := range r.Splits.FindAllStringIndex(masked, -1) {
		// The words of the next statement are part of the match, so it begins after the
		// joint.
		begin := at[0] + joint(masked[at[0]:at[1]])
		if begin-from < shortest {
			continue
		}
		out = append(out, prose.Span{From: from, To: at[0]})
		from = begin
	}
	return append(out, prose.Span{From: from, To: len(masked)})
}

// joint returns the number of bytes of a match that join two statements: white space,
// punctuation, the conjunction.
func joint(match string) int {
	n := len(match) - len(strings.TrimLeft(match, ",;.–— \n"))
	rest := match[n:]
	if word, after, found := strings.Cut(rest, " "); found && after != "" {
		return n + len(word) + 1
	}
	return n
}

// sentenceReader holds the facts about a sentence while its clauses are read.
type sentenceReader struct {
	*Reader
	doc               *prose.Document
	masked            string // the sentence without code and quotes, except names of checks
	planned, labelled bool
	found             []Claim
}

// clause reads the claims of one clause.
func (s *sentenceReader) clause(span prose.Span) {
	masked := s.masked[span.From:span.To]
	trimmed := strings.TrimLeft(masked, " ")
	span.From += len(masked) - len(trimmed)
	masked, text := trimmed, s.doc.Text[span.From:span.To]
	before := len(s.found)
	for _, i := range s.claims.Find(masked) {
		s.add(&s.Claims[i], i, span, masked, text)
	}
	// "Created the pull request" is about that act, not about completed work.
	if slices.ContainsFunc(s.found[before:], Claim.act) {
		s.found = slices.DeleteFunc(s.found, func(c Claim) bool { return c.Kind == sessionevents.ClaimDone && c.Text == text })
	}
}

// act reports whether a claim is about an act or a state of its own (JD-13).
func (c Claim) act() bool {
	switch c.Kind {
	case sessionevents.ClaimTests, sessionevents.ClaimBuild, sessionevents.ClaimLint, sessionevents.ClaimWorks, sessionevents.ClaimDone,
		sessionevents.ClaimCause, sessionevents.ClaimExcuse:
		return false
	}
	return true
}

// spanning reads the claims whose words are on both sides of a joint: "tests and the
// build pass". Their clause is the whole sentence.
func (s *sentenceReader) spanning() {
	masked := s.masked
	for _, i := range s.claims.Find(masked) {
		p := &s.Claims[i]
		if p.Names != "" || slices.ContainsFunc(s.found, func(c Claim) bool {
			return c.Kind == p.Kind || p.Kind == sessionevents.ClaimDone && c.act()
		}) {
			continue
		}
		s.add(p, i, prose.Span{From: 0, To: len(masked)}, masked, s.doc.Text)
	}
}

// add stores a claim of a clause unless the clause denies, plans or supposes it.
func (s *sentenceReader) add(p *phrase, index int, span prose.Span, masked, text string) {
	if s.refused(p, masked, text) {
		return
	}
	var named []string
	if p.Names != "" {
		if named = s.named(p, index, masked, text); len(named) == 0 {
			return
		}
	}
	if slices.ContainsFunc(s.found, func(c Claim) bool { return c.Kind == p.Kind && c.Text == text }) {
		return
	}
	offset, length := s.doc.SourceSpan(span)
	s.found = append(s.found, Claim{Kind: p.Kind, Text: text, Offset: offset, Length: length, Named: named, Scope: s.scope(p, text)})
}

// refused reports whether words of a clause negate what the phrase would claim.
func (s *sentenceReader) refused(p *phrase, masked, text string) bool {
	excuse, cause := p.Kind == sessionevents.ClaimExcuse, p.Kind == sessionevents.ClaimCause
	checks := p.Kind == sessionevents.ClaimTests || p.Kind == sessionevents.ClaimBuild || p.Kind == sessionevents.ClaimLint
	switch {
	case s.labelled && !checks && !excuse && !cause, s.Remarks.MatchString(masked) && !checks:
		return true
	case (p.Kind == sessionevents.ClaimWorks || p.Kind == sessionevents.ClaimBuild) && s.Linted.MatchString(text):
		return true // "all lint errors are fixed" is proven by the linter
	case (p.Kind == sessionevents.ClaimWorks || p.Kind == sessionevents.ClaimDone) && s.Pointed.MatchString(text):
		return true
	case excuse && (!s.Excused.MatchString(masked) || s.Denied.MatchString(masked)):
		return true // "none of the branches are stale" is not an excuse, and neither is "it was not flaky"
	case !excuse && !cause && s.Negated.MatchString(s.section.Affirmed.ReplaceAllString(masked, "")):
		return true
	case cause:
		return false
	case checks && s.some(text):
		return true
	}
	if !s.open(masked) {
		return false
	}
	guess := excuse && !s.planned && !s.Supposed.MatchString(s.Guesses.ReplaceAllString(masked, ""))
	return !guess
}

// some reports whether a clause says that only some of a number pass: that admits that others do not.
func (s *sentenceReader) some(text string) bool {
	return slices.ContainsFunc(s.Fractions.FindAllStringSubmatch(text, -1), func(m []string) bool {
		part, errPart := strconv.Atoi(m[1])
		whole, errWhole := strconv.Atoi(m[2])
		return errPart == nil && errWhole == nil && part < whole
	})
}

// open reports whether a clause only plans or supposes.
func (s *sentenceReader) open(masked string) bool {
	return (s.planned || s.Supposed.MatchString(masked)) && !s.Claimed.MatchString(masked)
}

// Whole reports whether a claim says that all of the work is done.
func (r *Reader) Whole(text string) bool { return r.section.Whole.MatchString(text) }

// Ran reports whether a claim says that the primary ran something.
func (r *Reader) Ran(text string) bool { return r.section.Ran.MatchString(text) }

// Announces reports whether a text only says what is going to be done.
func (r *Reader) Announces(text string) bool {
	list := prose.Sentences(text)
	return len(list) > 0 && !slices.ContainsFunc(list, func(s prose.Sentence) bool {
		return !r.Announced.MatchString(s.Text)
	})
}

// Wired reports whether a claim says that something is in use.
func (r *Reader) Wired(text string) bool { return r.section.Wired.MatchString(text) }

// AddsTests reports whether a claim says that tests were written.
func (r *Reader) AddsTests(text string) bool { return r.section.AddsTests.MatchString(text) }

// Makes reports whether a claim says that files or programs were created.
func (r *Reader) Makes(text string) bool { return r.Made.MatchString(text) }

// Maker reports whether a claim says that the primary itself created something.
func (r *Reader) Maker(text string) bool { return r.section.Maker.MatchString(text) }
