package ledger

import (
	"path"
	"slices"
	"strings"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// claim records what a sentence of the primary claims, with a verdict for each clause
// (JD-10).
func (d *digest) claim(sentence string, segment, offset int) {
	s := &d.t.Segments[segment]
	called := s.Tool
	for _, read := range d.c.reader.Read(sentence, lineBefore(s.Text, offset)) {
		if called != nil && (read.Kind == sessionevents.ClaimExcuse || read.Kind == sessionevents.ClaimDone && called.Command != "") {
			continue // a commit message says what the commit does, not that it is proven
		}
		if read.Kind == sessionevents.ClaimDeleted && !d.spokenOf(read.Named) {
			continue
		}
		c := sessionevents.Claim{
			Kind: read.Kind, Turn: d.t.Turn, Segment: segment, Offset: offset + read.Offset, Length: read.Length, Text: d.shorten(read.Text),
			Subjects: read.Named, Broad: read.Scope.Broad, Final: d.out.Final,
		}
		d.judge(&c, read.Scope)
		d.record(c)
	}
}

// spokenOf reports whether things that a claim says were removed are files, or folders that a command of
// the session was to remove: other words with a slash in between are none ("read/write access").
func (d *digest) spokenOf(names []string) bool {
	return !slices.ContainsFunc(names, func(n string) bool {
		return path.Ext(n) == "" && d.l.latest(sessionevents.ClaimDeleted, n) == nil
	})
}

// lineBefore returns the text of a line up to an offset, which shows what kind of line it
// is.
func lineBefore(text string, offset int) string {
	if offset <= 0 || offset > len(text) {
		return ""
	}
	return text[strings.LastIndexByte(text[:offset], '\n')+1 : offset]
}

// record stores a claim; if the primary repeats it in a turn about the same thing, it is
// one claim with the worse verdict.
func (d *digest) record(c sessionevents.Claim) {
	same := func(o sessionevents.Claim) bool {
		return o.Turn == c.Turn && o.Kind == c.Kind && (o.Kind != sessionevents.ClaimTodo || o.Text == c.Text) &&
			slices.Equal(o.Subjects, c.Subjects) && slices.Equal(d.suitesOf(o.Text), d.suitesOf(c.Text))
	}
	if i := slices.IndexFunc(d.out.Claims, same); i >= 0 {
		if worse(c.Verdict, d.out.Claims[i].Verdict) {
			d.out.Claims[i] = c
			d.l.Claims[slices.IndexFunc(d.l.Claims, same)] = c
			d.out.Change.Claims[slices.IndexFunc(d.out.Change.Claims, same)] = c
		}
		return
	}
	d.out.Claims = append(d.out.Claims, c)
	d.l.Claims = append(d.l.Claims, c)
	d.out.Change.Claims = append(d.out.Change.Claims, c)
}

func (d *digest) suitesOf(text string) []string { return d.c.reader.Suites(text) }

// standing judges, at the end of a response, the last claim about tests made earlier in
// it if the report makes none (JD-12). It records the claim only if it is contradicted:
// what was repaired since gets no verdict.
func (d *digest) standing() {
	if !d.out.Final || slices.ContainsFunc(d.out.Claims, func(c sessionevents.Claim) bool { return c.Kind == sessionevents.ClaimTests }) {
		return
	}
	for _, c := range slices.Backward(d.l.Claims) {
		if c.Turn < d.l.Asked.Turn {
			return
		}
		if c.Turn >= d.t.Turn || c.Kind != sessionevents.ClaimTests || c.Final || d.t.Turn-c.Turn > longestResponse {
			continue
		}
		c.Turn, c.Segment, c.Offset, c.Length, c.Final = d.t.Turn, len(d.t.Segments)-1, 0, 0, true
		c.By, c.Gap = nil, ""
		d.judge(&c, d.c.reader.ScopeOf(c.Text, c.Broad))
		if c.Verdict == sessionevents.Contradicted {
			d.record(c)
		}
		return
	}
}

// longestResponse bounds the number of turns searched for claims of the same response.
const longestResponse = 30

// Worst lists the verdicts, worst first.
var Worst = []sessionevents.Verdict{sessionevents.Contradicted, sessionevents.Unproven, sessionevents.NotCheckable, sessionevents.Proven}

func worse(a, b sessionevents.Verdict) bool { return slices.Index(Worst, a) < slices.Index(Worst, b) }
