package ambiguity

import (
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
)

// compound returns the second task of a ticket that has two: work joined to other work in
// one sentence, or added with "also". Tests and docs of the same change do not count.
func (a *Analyzer) compound(r *Report) string {
	for i := range r.Sentences {
		s := &r.Sentences[i]
		if s.Place == InCriteria {
			continue
		}
		if second := a.secondTask(s, i > 0); second != "" {
			return fmt.Sprintf("a second task: %q", second)
		}
	}
	return ""
}

// secondTask returns the text of a second task in a sentence.
func (a *Analyzer) secondTask(s *Sentence, later bool) string {
	d := s.document()
	if hits := a.asides.Find(d); len(hits) > 0 {
		return s.Text[hits[0].Span.From:]
	}
	worked := false
	for i, w := range s.words {
		joint := i > 0 && (a.in("joints", s.words[i-1].lower) || s.words[i-1].stop)
		also := later && i > 0 && i == a.first(s) && a.in("also", s.words[i-1].lower)
		if !a.in("work", w.lower) {
			continue
		}
		if (worked && joint || also) && !a.companion(s, w.from) {
			return s.Text[w.from:]
		}
		worked = worked || i == a.first(s) || a.in("obligations", s.words[max(i-1, 0)].lower) || i > 0 && s.words[i-1].lower == "to"
	}
	return ""
}

// companion reports whether the text from an offset on is about tests, docs or callers of
// the same change.
func (a *Analyzer) companion(s *Sentence, from int) bool {
	d := &prose.Document{Text: s.Text[from:], Masked: s.masked[from:]}
	hits := a.companions.Find(d)
	return len(hits) > 0 && hits[0].Span.From == 0
}
