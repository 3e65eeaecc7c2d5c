package ambiguity

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
)

// pronoun returns a pronoun without an antecedent. Named reports whether the title or the
// sentence before names something.
func (a *Analyzer) pronoun(s *Sentence, expletives []prose.Span, named bool) string {
	for i, w := range s.words {
		if !a.in("pronouns", w.lower) && !a.bareDemonstrative(s.words, i) {
			continue
		}
		if named || within(expletives, w.from) || a.names(s, i) {
			continue
		}
		return w.text
	}
	return ""
}

// bareDemonstrative reports whether a demonstrative has no noun: "this is wrong" and "fix
// that", but not "this button".
func (a *Analyzer) bareDemonstrative(words []word, i int) bool {
	if !a.in("demonstratives", words[i].lower) {
		return false
	}
	last := i+1 == len(words) || words[i].stop
	if words[i].lower == "that" && i > 0 && !last {
		return false // "the file that is missing", "check that it works"
	}
	next := i + 1 // "that also happens"
	for next+1 < len(words) && (a.in("adverbs", words[next].lower) || a.in("also", words[next].lower)) {
		next++
	}
	return last || a.in("after", words[next].lower)
}

// names reports whether something before a place could be a pronoun's antecedent.
func (a *Analyzer) names(s *Sentence, before int) bool {
	for i := 0; i < before && i < len(s.words); i++ {
		w := s.words[i]
		if w.code() {
			return true
		}
		if i == a.first(s) && a.in("actions", w.lower) || a.light(w.lower) || within(s.vague, w.from) {
			continue
		}
		return true
	}
	return false
}

// light reports whether a word names nothing.
func (a *Analyzer) light(w string) bool {
	return a.in("function", w) || a.in("pronouns", w) || a.in("demonstratives", w) || a.in("actions", w) && len(w) < 5 ||
		a.in("vague nouns", w) || a.in("obligations", w) || strings.HasSuffix(w, "ly")
}
