package destructiveact

import (
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/destruct"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// ask is a phrase by which a person asks for an act of a kind.
type ask struct {
	kind   destruct.Kind
	phrase []string
}

func stems(text string) []string {
	out := similarity.Words(text)
	for i, w := range out {
		out[i] = prose.Stem(w)
	}
	return out
}

// asked reports whether the person asked for this very act, in a message or by
// accepting what the primary proposed.
func (j *judgement) asked(a *destruct.Act) bool {
	messages := j.messages()
	if a.Rule == "write" && slices.ContainsFunc(messages, func(m string) bool { return strings.Contains(m, path.Base(a.Targets[0])) }) {
		return true
	}
	for k, text := range messages {
		for _, sentence := range prose.Sentences(text) {
			if j.requests(stems(sentence.Text), a, false) {
				return true
			}
		}
		if k == len(messages)-1 && j.acceptance(text) && j.requests(stems(j.Offer), a, true) {
			return true
		}
	}
	return false
}

// messages are those of the person in the last turns, the oldest first.
func (j *judgement) messages() []string {
	b := j.Baseline()
	requests := b.Requests
	if len(requests) == 0 && b.Task != "" {
		requests = []registry.Request{{Turn: j.Turn.Turn, Text: b.Task}}
	}
	var out []string
	for i, r := range requests {
		if j.Turn.Turn-r.Turn <= j.config.RequestTurns || i == len(requests)-1 {
			out = append(out, r.Text)
		}
	}
	for i := range j.Turn.Segments {
		if s := &j.Turn.Segments[i]; s.Kind == sessionevents.SegmentUser && !slices.Contains(out, s.Text) {
			out = append(out, s.Text)
		}
	}
	return out
}

// requests reports whether words ask for an act, or propose it: its kind's verb, not
// negated, and for some kinds what it is about.
func (j *judgement) requests(said []string, a *destruct.Act, proposed bool) bool {
	for _, ask := range j.asks {
		if ask.kind != a.Kind {
			continue
		}
		for at := indexOf(said, ask.phrase, 0); at >= 0; at = indexOf(said, ask.phrase, at+1) {
			before := said[max(0, at-j.config.NegationWords):at]
			negated := slices.ContainsFunc(before, func(w string) bool { return slices.Contains(j.config.Negations, w) })
			reported := !proposed && at > 0 && slices.Contains(j.config.Reports, said[at-1])
			if !negated && !reported && (!slices.Contains(j.config.NamedKinds, a.Kind) || a.Whole && len(a.Targets) == 0 || names(said[max(0, at-j.config.NameWords):min(len(said), at+len(ask.phrase)+2*j.config.NameWords)], a.Targets)) {
				return true
			}
		}
	}
	return false
}

// names reports whether words name one of some targets: a word of its last or second
// last part.
func names(said, targets []string) bool {
	for _, t := range targets {
		base := path.Base(t)
		for _, part := range []string{strings.TrimSuffix(base, path.Ext(base)), path.Base(path.Dir(t)), strings.TrimPrefix(base, ".")} {
			if slices.ContainsFunc(stems(part), func(w string) bool { return len(w) > 2 && slices.Contains(said, w) }) {
				return true
			}
		}
	}
	return false
}

// acceptance reports whether a message accepts what was proposed.
func (j *judgement) acceptance(text string) bool {
	said := stems(text)
	return len(said) > 0 && len(said) <= j.config.AcceptWords &&
		slices.ContainsFunc(j.accepts, func(phrase []string) bool { return indexOf(said, phrase, 0) >= 0 })
}

// indexOf is where a phrase begins in words, at or after a place; -1 if nowhere.
func indexOf(said, phrase []string, from int) int {
	for i := from; len(phrase) > 0 && i+len(phrase) <= len(said); i++ {
		if slices.Equal(said[i:i+len(phrase)], phrase) {
			return i
		}
	}
	return -1
}
