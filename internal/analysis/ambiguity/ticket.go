package ambiguity

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// Ticket is a task as a person wrote it.
type Ticket struct {
	Title    string
	Text     string // Markdown
	Criteria []string
}

// Place is the part of the ticket that a sentence is in.
type Place string

// Places of sentences that count.
const (
	InTitle    Place = "title"
	InText     Place = "text"
	InCriteria Place = "criteria"
)

// Kind is a kind of word signal (PL-31).
type Kind string

// Kinds of word signals.
const (
	WeakModal        Kind = "weak_modal"
	VagueQuantifier  Kind = "vague_quantifier"
	AgentlessPassive Kind = "agentless_passive"
	UndefinedPronoun Kind = "undefined_pronoun"
)

// Signal is a word that leaves something open.
type Signal struct {
	Kind Kind
	Word string // as written
}

// Sentence is a sentence that states the goal or a criterion.
type Sentence struct {
	Text    string // folded to one line
	Place   Place
	Signals []Signal // at most one of each kind, in the order of the kinds above
	masked  string   // Text without code and quotes
	words   []word
	vague   []prose.Span // vague words and weak modals, measured or not
}

// document returns the sentence in the form in which phrases are searched.
func (s *Sentence) document() *prose.Document {
	return &prose.Document{Text: s.Text, Masked: s.masked}
}

// Report holds the findings about a ticket.
type Report struct {
	Sentences   []Sentence
	HasCriteria bool
	Checks      []Check // the five checks of PL-30, in the order of the specification
	body        []Sentence
}

// WordSignals returns the number of word signals: one per kind and sentence.
func (r *Report) WordSignals() int {
	n := 0
	for i := range r.Sentences {
		n += len(r.Sentences[i].Signals)
	}
	return n
}

// Failed returns the checks that the ticket does not pass.
func (r *Report) Failed() []Check {
	var out []Check
	for _, c := range r.Checks {
		if !c.Passed {
			out = append(out, c)
		}
	}
	return out
}

// Analyze analyzes a ticket. It never fails: what cannot be parsed is ignored.
func (a *Analyzer) Analyze(t Ticket) *Report {
	r := &Report{}
	left := a.MaxBytes
	title := a.sentences(clip(t.Title, &left), InTitle)
	r.Sentences = append(r.Sentences, title...)
	for _, s := range a.sections(clip(t.Text, &left)) {
		a.addSection(r, s)
	}
	for _, c := range t.Criteria {
		some := a.sentences(clip(c, &left), InCriteria)
		r.HasCriteria = r.HasCriteria || len(some) > 0
		r.Sentences = append(r.Sentences, some...)
	}
	if most := a.MaxSentences; len(r.Sentences) > most {
		r.Sentences = r.Sentences[:most]
	}
	a.signals(r, title)
	r.Checks = a.checks(r)
	return r
}

// addSection adds the relevant sentences of a section.
func (a *Analyzer) addSection(r *Report, s section) {
	place := InText
	if s.kind == criteriaSection {
		place = InCriteria
	}
	for _, one := range a.sentences(s.text, place) {
		r.body = append(r.body, one)
		if s.kind == otherSection {
			continue
		}
		if place == InText && a.isCriterion(&one) {
			one.Place = InCriteria
		}
		r.HasCriteria = r.HasCriteria || one.Place == InCriteria
		if one.Place == InCriteria || s.kind == goalSection || a.asks(&one) {
			r.Sentences = append(r.Sentences, one)
		}
	}
}

// sentences splits a text into sentences with their words.
func (a *Analyzer) sentences(text string, place Place) []Sentence {
	d := prose.Parse(text)
	var out []Sentence
	for _, s := range d.Sentences() {
		if len(out) >= a.MaxSentences {
			break
		}
		one := Sentence{Text: d.Text[s.From:s.To], Place: place, masked: d.Masked[s.From:s.To]}
		if one.words = split(one.masked, a.MaxWords); len(one.words) == 0 {
			continue
		}
		one.vague = append(spans(a.vague.Find(one.document())), spans(a.modals.Find(one.document()))...)
		out = append(out, one)
	}
	return out
}

// isCriterion reports whether a sentence is a criterion outside a criteria section:
// "Given …", "Then …".
func (g *Grammar) isCriterion(s *Sentence) bool { return g.CriterionLeads[s.words[0].lower] }

// asks reports whether a sentence requests something: it begins with an instruction, or
// contains a word of obligation.
func (g *Grammar) asks(s *Sentence) bool {
	if g.Actions[s.words[g.first(s)].lower] {
		return true
	}
	return slices.ContainsFunc(s.words, func(w word) bool { return g.Obligations[w.lower] })
}

// first returns the index of the first word after "please" and "also".
func (g *Grammar) first(s *Sentence) int {
	i := 0
	for i+1 < len(s.words) && (s.words[i].lower == "please" || g.Also[s.words[i].lower]) {
		i++
	}
	return i
}

// clip cuts a text to the part of the ticket that may still be read.
func clip(s string, left *int) string {
	s = strings.ToValidUTF8(s, "?")
	s = text.Head(s, *left)
	*left -= len(s)
	return s
}
