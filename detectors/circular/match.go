package circular

import (
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
)

// about reports whether a question, reconsideration or return is about q.
func (d *instance) about(q *question, x *deliberation) bool {
	if !sameNames(q.Names, x.names) {
		return false
	}
	if len(x.terms) >= d.RaisedWords && x.kind != returned && jaccard(q.Terms, x.terms) >= d.Similar {
		return true
	}
	if !q.Closed {
		return false
	}
	if len(q.Choices) == 0 {
		return x.kind != asked && d.tells(q.Terms) && subset(q.Terms, x.terms)
	}
	if x.kind == returned { // returning to a dropped choice; returning to the current one is work
		return slices.ContainsFunc(q.Choices[:len(q.Choices)-1], func(c []string) bool { return d.tells(c) && subset(c, x.terms) })
	}
	choice := q.Choices[len(q.Choices)-1]
	named := d.tells(choice) && subset(choice, x.terms)
	topic := len(q.Topic) > 0 && subset(q.Topic, x.terms)
	if x.kind == asked {
		return named && topic
	}
	return named || topic && len(q.Topic) >= d.RaisedWords
}

// sameNames reports whether the identifiers of two sentences can belong to one question:
// all identifiers of one occur in the other. "A RangeIndex?" is not "A PeriodIndex?".
func sameNames(a, b []string) bool {
	return len(a) == 0 || len(b) == 0 || subset(a, b) || subset(b, a)
}

// choice is a decision as stems.
type choice struct{ chosen, rejected, topic []string }

func (d *instance) choice(decision *registry.Decision) choice {
	sorted := func(text string) []string {
		out := d.terms(text)
		slices.Sort(out)
		return out
	}
	return choice{sorted(decision.Choice), sorted(decision.Rejected), sorted(decision.Topic)}
}

// decides reports whether a decision is about q: it has the same topic or, if one of them
// names none, the same alternatives.
func (d *instance) decides(q *question, c choice) bool {
	switch {
	case len(q.Choices) == 0:
		return d.tells(c.chosen) && subset(c.chosen, q.Terms) && (len(c.topic) == 0 || overlap(c.topic, q.Terms))
	case len(c.topic) > 0 && len(q.Topic) > 0:
		return jaccard(c.topic, q.Topic) >= d.Similar
	}
	return d.tells(c.chosen) && q.chose(c.chosen) || d.tells(c.rejected) && q.chose(c.rejected)
}

// chose reports whether a choice was made for q before.
func (q *question) chose(choice []string) bool {
	return slices.ContainsFunc(q.Choices, func(c []string) bool { return slices.Equal(c, choice) })
}

// tells reports whether words include one that is not too general.
func (d *instance) tells(words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return !d.general[w] })
}

func subset(part, whole []string) bool {
	for _, w := range part {
		if !slices.Contains(whole, w) {
			return false
		}
	}
	return len(part) > 0
}

func overlap(a, b []string) bool {
	return slices.ContainsFunc(a, func(w string) bool { return slices.Contains(b, w) })
}

// jaccard returns the share of common words among all words of two sets.
func jaccard(a, b []string) float64 {
	common := 0
	for _, w := range a {
		if slices.Contains(b, w) {
			common++
		}
	}
	if common == 0 {
		return 0
	}
	return float64(common) / float64(len(a)+len(b)-common)
}
