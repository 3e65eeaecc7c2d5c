package circular

import (
	"slices"
	"strings"

	re2 "github.com/wasilibs/go-re2"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/core/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/core/registry"
)

// kind says what a sentence does to a question.
type kind string

const (
	asked        kind = "asked"
	reconsidered kind = "reconsidered"
	decided      kind = "decided"
	returned     kind = "returned" // to what was closed
	closed       kind = "closed"
)

// deliberation is a sentence that asks, reconsiders, decides, closes or returns.
// What only says what comes next is none.
type deliberation struct {
	kind     kind
	segment  int
	offset   int
	length   int
	text     string
	thinking bool
	what     string   // the part of it that says what it is about
	terms    []string // its stems
	decision *registry.Decision
	// again: a decision that says itself that it changes an earlier one.
	again bool
}

// deliberations are the turn's, in order.
func (d *instance) deliberations(p *detect.Pass) []deliberation {
	a := p.Additions
	flagged, worth := d.flagged(a), d.worthReading(a.Sentences)
	var out []deliberation
	again := false // the sentence before reconsiders, this one says what
	for i := range a.Sentences {
		s := &a.Sentences[i]
		x := deliberation{segment: s.Segment, offset: s.Offset, length: len(s.Text), text: s.Text, thinking: s.Thinking}
		x.decision = decisionIn(a.Decisions, s)
		ok := false
		if worth[i] || flagged[i] || x.decision != nil {
			x.what, ok = d.classify(&x, flagged[i])
		}
		if !ok {
			again = false
			continue
		}
		x.terms = d.terms(x.what)
		x.again, again = x.again || again, false
		if x.kind == reconsidered && len(x.terms) < d.RaisedWords && i+1 < len(a.Sentences) && a.Sentences[i+1].Segment == s.Segment {
			next := &a.Sentences[i+1]
			if again = decisionIn(a.Decisions, next) != nil; again {
				continue
			}
			x.what += " " + next.Text // "Let me reconsider. Should the …"
			x.terms = d.terms(x.what)
		}
		out = append(out, x)
	}
	return out
}

// worthReading are the sentences, by index, that may deliberate: one look over
// all of them at once.
func (d *instance) worthReading(list []registry.Sentence) map[int]bool {
	out := map[int]bool{}
	var text strings.Builder
	ends := make([]int, len(list))
	for i, s := range list {
		if strings.IndexByte(s.Text, '?') >= 0 {
			out[i] = true
		}
		text.WriteString(s.Text)
		text.WriteByte('\n')
		ends[i] = text.Len()
	}
	if text.Len() == 0 {
		return nil
	}
	for _, at := range d.any.FindAllStringIndex(text.String(), -1) {
		i, _ := slices.BinarySearch(ends, at[0]+1)
		out[i] = true
	}
	return out
}

// classify sets what a sentence does, and gives the part that says to what.
func (d *instance) classify(x *deliberation, flagged bool) (what string, ok bool) {
	document := prose.Parse(x.text)
	text, plain := document.Masked, document.Text
	again := flagged || d.reconsiders.MatchString(text)
	switch {
	case x.decision != nil:
		x.kind, x.again = decided, again
		return x.text, true
	case d.toPerson.MatchString(text):
		return "", false
	case again:
		x.kind = reconsidered
		return x.text, true
	}
	if what, ok := group(d.returns, text, plain); ok {
		x.kind = returned
		return what, true
	}
	if strings.HasSuffix(strings.TrimRight(text, `"') `), "?") || d.asks.MatchString(text) {
		x.kind = asked
		return x.text, true
	}
	if what, ok := group(d.closes, text, plain); ok {
		x.kind = closed
		return what, true
	}
	return "", false
}

// group is what the pattern's group stands for: found in the masked text, taken
// from the plain one, which is of the same length.
func group(pattern *re2.Regexp, masked, text string) (string, bool) {
	at := pattern.FindStringSubmatchIndex(masked)
	for i := 2; i+1 < len(at); i += 2 {
		if at[i] >= 0 && at[i+1] <= len(text) {
			return text[at[i]:at[i+1]], true
		}
	}
	return "", false
}

// flagged are the sentences with a red flag of reconsidering (RF09–RF11), by index.
func (d *instance) flagged(a *registry.Turn) map[int]bool {
	var out map[int]bool
	for _, hit := range a.RedFlags {
		if !slices.Contains(d.Flags, hit.ID) {
			continue
		}
		for i := len(a.Sentences) - 1; i >= 0; i-- {
			if s := &a.Sentences[i]; s.Segment == hit.Segment && s.Offset <= hit.Offset {
				if out == nil {
					out = map[int]bool{}
				}
				out[i] = true
				break
			}
		}
	}
	return out
}

// decisionIn is the decision that a sentence states (SW-13).
func decisionIn(list []registry.Decision, s *registry.Sentence) *registry.Decision {
	for i := range list {
		said := strings.TrimSuffix(list[i].Sentence, "…")
		if list[i].Segment == s.Segment && strings.HasPrefix(s.Text, said) {
			return &list[i]
		}
	}
	return nil
}

// terms are the content words of what is deliberated, as stems.
func (d *instance) terms(text string) []string {
	out := slices.DeleteFunc(prose.Terms(text), func(w string) bool { return d.deliberation[w] })
	return out[:min(len(out), d.QuestionWords)]
}
