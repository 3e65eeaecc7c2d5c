package ambiguity

import (
	"fmt"
	"strings"
)

// The checks of PL-30.
const (
	Unambiguous        = "unambiguous"
	Testable           = "testable"
	NonCompound        = "non_compound"
	AcceptanceCriteria = "acceptance_criteria"
	Scoped             = "scoped"
)

// Check is one check of PL-30.
type Check struct {
	Name   string
	Passed bool
	Why    string // what is missing if it did not pass
}

// checks returns the five checks in the order of the specification.
func (a *Analyzer) checks(r *Report) []Check {
	return []Check{
		check(Unambiguous, a.ambiguous(r)),
		check(Testable, a.untestable(r)),
		check(NonCompound, a.compound(r)),
		check(AcceptanceCriteria, missing(r)),
		check(Scoped, a.unscoped(r)),
	}
}

func check(name, why string) Check { return Check{Name: name, Passed: why == "", Why: why} }

func missing(r *Report) string {
	if r.HasCriteria {
		return ""
	}
	return "no acceptance criteria"
}

func (a *Analyzer) ambiguous(r *Report) string {
	n := r.WordSignals()
	if n < a.config.UnambiguousBelow {
		return ""
	}
	return fmt.Sprintf("%d ambiguous words: %s", n, r.quote(6))
}

// quote lists the first words of the signals.
func (r *Report) quote(most int) string {
	var words []string
	for i := range r.Sentences {
		for _, s := range r.Sentences[i].Signals {
			if len(words) < most {
				words = append(words, fmt.Sprintf("%q (%s)", s.Word, strings.ReplaceAll(string(s.Kind), "_", " ")))
			}
		}
	}
	return strings.Join(words, ", ")
}

// untestable describes why nothing can be tested: none of the criteria is testable, or
// criteria are missing and the goal is a wish without a concrete reference.
func (a *Analyzer) untestable(r *Report) string {
	criteria := 0
	for i := range r.Sentences {
		s := &r.Sentences[i]
		if s.Place != InCriteria {
			continue
		}
		if criteria++; !s.has(VagueQuantifier) && !a.wish(s) {
			return ""
		}
	}
	if criteria > 0 {
		return "no criterion that a test could decide"
	}
	if r.anchored() {
		return ""
	}
	for i := range r.Sentences {
		if s := &r.Sentences[i]; s.has(VagueQuantifier) || a.wish(s) {
			return fmt.Sprintf("nothing that a test could decide in %q", s.Text)
		}
	}
	return ""
}

func (s *Sentence) has(kind Kind) bool {
	for _, one := range s.Signals {
		if one.Kind == kind {
			return true
		}
	}
	return false
}

// wish reports whether a sentence is a direction without a result: "improve the search",
// "fix the auth issue".
func (a *Analyzer) wish(s *Sentence) bool {
	first := a.first(s)
	if a.in("vague verbs", s.words[first].lower) {
		return true
	}
	last := s.words[len(s.words)-1].lower
	return a.in("actions", s.words[first].lower) && a.in("vague nouns", last)
}

// anchored reports whether the ticket contains something to compare a result with: code,
// a number, the name of a program, a quote.
func (r *Report) anchored() bool {
	for _, list := range [][]Sentence{r.Sentences, r.body} {
		for i := range list {
			for j, w := range list[i].words {
				if w.code() || j > 0 && w.name() {
					return true
				}
			}
		}
	}
	return false
}

// unscoped describes why the goal has no bounds, or names nothing to work on.
func (a *Analyzer) unscoped(r *Report) string {
	named := false
	for i := range r.Sentences {
		s := &r.Sentences[i]
		if hits := a.unbounded.Find(s.document()); len(hits) > 0 {
			return fmt.Sprintf("no bounds: %q", s.Text[hits[0].Span.From:hits[0].Span.To])
		}
		named = named || a.names(s, len(s.words))
	}
	if named || r.anchored() {
		return ""
	}
	return "names no part to work on"
}
