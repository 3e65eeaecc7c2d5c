package ambiguity

import "github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"

// signals finds the word signals of each sentence (PL-31). A pronoun may refer to
// something in the previous sentence or the title.
func (a *Analyzer) signals(r *Report, title []Sentence) {
	named := false
	for i := range r.Sentences {
		s := &r.Sentences[i]
		before := i > 0 && r.Sentences[i-1].Place == s.Place && a.names(&r.Sentences[i-1], len(r.Sentences[i-1].words))
		s.Signals = a.of(s, named || before)
		if i < len(title) {
			named = named || a.names(s, len(s.words))
		}
	}
}

// of returns the signals of one sentence, at most one of each kind.
func (a *Analyzer) of(s *Sentence, named bool) []Signal {
	d := s.document()
	exempt := spans(a.exempt.Find(d))
	var out []Signal
	add := func(kind Kind, text string) {
		if text != "" {
			out = append(out, Signal{kind, text})
		}
	}
	add(WeakModal, a.hit(a.modals, d, exempt))
	if len(a.measures.Find(d)) == 0 {
		add(VagueQuantifier, a.hit(a.vague, d, exempt))
	}
	add(AgentlessPassive, a.passive(s))
	add(UndefinedPronoun, a.pronoun(s, spans(a.expletives.Find(d)), named))
	return out
}

// hit returns the first match outside the exempt spans.
func (a *Analyzer) hit(p *prose.Phrases, d *prose.Document, exempt []prose.Span) string {
	for _, m := range p.Find(d) {
		if !within(exempt, m.Span.From) && !joined(d.Masked, m.Span) {
			return d.Text[m.Span.From:m.Span.To]
		}
	}
	return ""
}

// joined reports whether a match is only part of a longer name: fail-fast, fast.go.
func joined(text string, s prose.Span) bool {
	if s.From > 0 && isJoint(text[s.From-1]) {
		return true
	}
	return s.To+1 < len(text) && isJoint(text[s.To]) && text[s.To+1] != ' '
}

func isJoint(c byte) bool { return c == '-' || c == '_' || c == '/' || c == '.' }

func spans(matches []prose.Match) []prose.Span {
	out := make([]prose.Span, len(matches))
	for i, m := range matches {
		out[i] = m.Span
	}
	return out
}

func within(list []prose.Span, at int) bool {
	for _, s := range list {
		if at >= s.From && at < s.To {
			return true
		}
	}
	return false
}
