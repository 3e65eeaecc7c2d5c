package ambiguity

import "strings"

// passive returns a passive without an agent, such as "must be validated". What a reader
// sees ("a 404 is returned"), states ("is required") and clauses that only give a
// condition ("if the token is expired") leave nothing open.
func (a *Analyzer) passive(s *Sentence) string {
	for i, w := range s.words {
		if !a.in("be", w.lower) || w.stop {
			continue
		}
		at := a.participle(s.words, i+1)
		if at < 0 {
			continue
		}
		duty := a.duty(s.words, i)
		if w.lower == "be" && !duty {
			continue
		}
		if !duty && (a.result(s, at) || a.subordinate(s.words, i)) {
			continue
		}
		if !a.agent(s.words, at+1) {
			return w.text + " " + s.words[at].text
		}
	}
	return ""
}

// result reports whether a participle describes what a reader sees or, in a criterion,
// what a test finds.
func (a *Analyzer) result(s *Sentence, at int) bool {
	w := s.words[at].lower
	return a.in("results", w) || s.Place == InCriteria && a.in("effects", w)
}

// participle returns the index of a participle after at most three adverbs, or -1.
func (a *Analyzer) participle(words []word, at int) int {
	for skipped := 0; at < len(words) && skipped < 4; skipped++ {
		w := words[at].lower
		switch {
		case a.in("states", w):
			return -1
		case a.in("irregular", w), strings.HasSuffix(w, "ed") && len(w) > 4:
			return at
		case (a.in("adverbs", w) || strings.HasSuffix(w, "ly")) && !words[at].stop:
			at++
		default:
			return -1
		}
	}
	return -1
}

// duty reports whether a word of obligation precedes the form of be.
func (a *Analyzer) duty(words []word, at int) bool {
	for back := 1; back <= 3 && at-back >= 0 && !words[at-back].stop; back++ {
		w := words[at-back].lower
		if a.in("duties", w) {
			return true
		}
		if !a.in("adverbs", w) && !strings.HasSuffix(w, "ly") {
			return false
		}
	}
	return false
}

// subordinate reports whether the clause before at only says when, or which one.
func (a *Analyzer) subordinate(words []word, at int) bool {
	for i := at - 1; i >= 0 && !words[i].stop; i-- {
		if a.in("subordinators", words[i].lower) {
			return true
		}
	}
	return false
}

// agent reports whether the rest of the clause names who acts.
func (a *Analyzer) agent(words []word, at int) bool {
	for ; at < len(words); at++ {
		w := words[at].lower
		if w == "by" && at+1 < len(words) && a.isAgent(words[at+1]) || a.in("agents by", w) {
			return true
		}
		if words[at].stop || a.in("be", w) {
			return false
		}
	}
	return false
}

func (a *Analyzer) isAgent(w word) bool {
	if a.in("no agents", w.lower) || strings.HasSuffix(w.lower, "ing") {
		return false
	}
	return w.text[0] < '0' || w.text[0] > '9'
}
