package circular

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// kind is what a sentence does to a question.
type kind string

const (
	asked        kind = "asked"
	reconsidered kind = "reconsidered"
	decided      kind = "decided"
	returned     kind = "returned" // to a closed question
	closed       kind = "closed"
)

// Indexes of the patterns in the set that classifies a sentence.
const (
	reconsiders = iota
	toPerson
	returns
	asks
	closes
	kindCount
)

// deliberation is a sentence that asks, reconsiders, decides, closes or returns. A
// sentence that only announces the next step is not one.
type deliberation struct {
	kind     kind
	segment  int
	offset   int
	length   int
	text     string
	thinking bool
	what     string   // the part that names the subject
	terms    []string // its stems
	names    []string // names of code in it, lower case
	decision *registry.Decision
	// again is set for a decision that itself says that it changes an earlier one.
	again bool
}

// sentence is a quick classification of one of the turn's sentences.
type sentence struct {
	marked   bool // it may deliberate
	flagged  bool // it holds a red flag of reconsidering (RF09–RF11)
	causal   bool // it may state or withdraw a cause
	decision *registry.Decision
}

// read classifies all sentences of the turn in one pass.
func (d *instance) read(p *detect.Pass) []sentence {
	a := p.Additions
	out := make([]sentence, len(a.Sentences))
	var said strings.Builder
	ends := make([]int, len(a.Sentences))
	for i := range a.Sentences {
		s := &a.Sentences[i]
		out[i].marked = strings.IndexByte(s.Text, '?') >= 0
		out[i].decision = decisionIn(a.Decisions, s)
		said.WriteString(s.Text)
		said.WriteByte('\n')
		ends[i] = said.Len()
	}
	for _, at := range d.any.FindAllStringIndex(said.String(), -1) {
		i, _ := slices.BinarySearch(ends, at[0]+1)
		out[i].marked = true
	}
	for _, at := range d.causal.FindAllStringIndex(said.String(), -1) {
		i, _ := slices.BinarySearch(ends, at[0]+1)
		out[i].causal = true
	}
	d.flag(a, out)
	return out
}

// flag marks the sentences with a red flag of reconsidering.
func (d *instance) flag(a *registry.Turn, out []sentence) {
	for _, hit := range a.RedFlags {
		if !slices.Contains(d.Flags, hit.ID) {
			continue
		}
		for i := len(out) - 1; i >= 0; i-- {
			if s := &a.Sentences[i]; s.Segment == hit.Segment && s.Offset <= hit.Offset {
				out[i].flagged = true
				break
			}
		}
	}
}

// deliberations returns the turn's deliberations in order.
func (d *instance) deliberations(p *detect.Pass, said []sentence) []deliberation {
	var out []deliberation
	again := false // the sentence before reconsiders, this one names the subject
	for i := range said {
		s := &p.Additions.Sentences[i]
		x := deliberation{segment: s.Segment, offset: s.Offset, length: len(s.Text), text: s.Text, thinking: s.Thinking, decision: said[i].decision}
		ok := false
		if said[i].marked || said[i].flagged || x.decision != nil {
			x.what, ok = d.classify(&x, said[i].flagged)
		}
		if !ok {
			again = false
			continue
		}
		x.terms = d.terms(x.what)
		x.again, again = x.again || again, false
		if x.kind == reconsidered && len(x.terms) < d.RaisedWords && i+1 < len(said) && p.Additions.Sentences[i+1].Segment == s.Segment {
			if again = said[i+1].decision != nil; again || !said[i+1].marked {
				continue
			}
			x.what += " " + p.Additions.Sentences[i+1].Text // "Let me reconsider. Should the …"
			x.terms = d.terms(x.what)
		}
		x.names = codeNames(x.what)
		out = append(out, x)
	}
	return out
}

// classify sets what a sentence does, and returns the part that names the subject.
func (d *instance) classify(x *deliberation, flagged bool) (what string, ok bool) {
	document := prose.Parse(x.text)
	text, plain := document.Masked, document.Text
	hits := d.kinds.Find(text)
	is := func(kind int) bool { return slices.Contains(hits, kind) }
	again := flagged || is(reconsiders)
	switch {
	case x.decision != nil:
		x.kind, x.again = decided, again
		return plain, true
	case is(toPerson):
		return "", false
	case again:
		x.kind = reconsidered
		return plain, true
	case is(returns):
		x.kind = returned
		return group(d.Returns, text, plain)
	case is(asks), asksItself(text):
		x.kind = asked
		return plain, true
	case is(closes):
		x.kind = closed
		return group(d.Closes, text, plain)
	}
	return "", false
}

// asksItself reports whether a sentence ends as a question; a question in parentheses
// after other words only explains them.
func asksItself(text string) bool {
	text = strings.TrimRight(text, "\"' ")
	if end, bracketed := strings.CutSuffix(text, "?)"); bracketed {
		return strings.LastIndexByte(end, '(') <= 0
	}
	return strings.HasSuffix(strings.TrimRight(text, ")"), "?")
}

// group returns the match of the pattern's group, which is searched in the masked text
// and cut from the plain text of the same length.
func group(pattern *pattern.Regexp, masked, text string) (string, bool) {
	at := pattern.FindStringSubmatchIndex(masked)
	for i := 2; i+1 < len(at); i += 2 {
		if at[i] >= 0 && at[i+1] <= len(text) {
			return text[at[i]:at[i+1]], true
		}
	}
	return "", false
}

// decisionIn returns the decision that a sentence states (SW-13).
func decisionIn(list []registry.Decision, s *registry.Sentence) *registry.Decision {
	for i := range list {
		said := strings.TrimSuffix(list[i].Sentence, "…")
		if list[i].Segment == s.Segment && strings.HasPrefix(s.Text, said) {
			return &list[i]
		}
	}
	return nil
}

// terms returns the stems of the content words of a deliberation.
func (d *instance) terms(text string) []string {
	out := slices.DeleteFunc(prose.Terms(text), func(w string) bool { return d.deliberation[w] })
	return out[:min(len(out), d.QuestionWords)]
}

// codeNames returns the identifiers of several words in a text, in lower case.
func codeNames(s string) []string {
	var out []string
	for token := range strings.FieldsFuncSeq(s, text.NotWord) {
		if len(similarity.Words(token)) > 1 {
			out = append(out, strings.ToLower(token))
		}
	}
	return out[:min(len(out), maxNames)]
}

// maxNames bounds the identifiers kept of a question.
const maxNames = 6
