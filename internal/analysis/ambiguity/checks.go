package ambiguity

import (
	"fmt"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
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
	if n < a.UnambiguousBelow {
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
func (g *Grammar) wish(s *Sentence) bool {
	first := g.first(s)
	if g.VagueVerbs[s.words[first].lower] {
		return true
	}
	last := s.words[len(s.words)-1].lower
	return g.Actions[s.words[first].lower] && g.VagueNouns[last]
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
		joint := i > 0 && (a.Joints[s.words[i-1].lower] || s.words[i-1].stop)
		also := later && i > 0 && i == a.first(s) && a.Also[s.words[i-1].lower]
		if !a.Work[w.lower] {
			continue
		}
		if (worked && joint || also) && !a.companion(s, w.from) {
			return s.Text[w.from:]
		}
		worked = worked || i == a.first(s) || a.Obligations[s.words[max(i-1, 0)].lower] || i > 0 && s.words[i-1].lower == "to"
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

// passive returns a passive without an agent, such as "must be validated". What a reader
// sees ("a 404 is returned"), states ("is required") and clauses that only give a
// condition ("if the token is expired") leave nothing open.
func (g *Grammar) passive(s *Sentence) string {
	for i, w := range s.words {
		if !g.Be[w.lower] || w.stop {
			continue
		}
		at := g.participle(s.words, i+1)
		if at < 0 {
			continue
		}
		duty := g.duty(s.words, i)
		if w.lower == "be" && !duty {
			continue
		}
		if !duty && (g.result(s, at) || g.subordinate(s.words, i)) {
			continue
		}
		if !g.agent(s.words, at+1) {
			last := s.words[at]
			return s.Text[w.from : last.from+len(last.text)] // verbatim (JD-40)
		}
	}
	return ""
}

// result reports whether a participle describes what a reader sees or, in a criterion,
// what a test finds.
func (g *Grammar) result(s *Sentence, at int) bool {
	w := s.words[at].lower
	return g.Results[w] || s.Place == InCriteria && g.Effects[w]
}

// participle returns the index of a participle after at most three adverbs, or -1.
func (g *Grammar) participle(words []word, at int) int {
	for skipped := 0; at < len(words) && skipped < 4; skipped++ {
		w := words[at].lower
		switch {
		case g.States[w]:
			return -1
		case g.Irregular[w], strings.HasSuffix(w, "ed") && len(w) > 4:
			return at
		case (g.Adverbs[w] || strings.HasSuffix(w, "ly")) && !words[at].stop:
			at++
		default:
			return -1
		}
	}
	return -1
}

// duty reports whether a word of obligation precedes the form of be.
func (g *Grammar) duty(words []word, at int) bool {
	for back := 1; back <= 3 && at-back >= 0 && !words[at-back].stop; back++ {
		w := words[at-back].lower
		if g.Duties[w] {
			return true
		}
		if !g.Adverbs[w] && !strings.HasSuffix(w, "ly") {
			return false
		}
	}
	return false
}

// subordinate reports whether the clause before at only says when, or which one.
func (g *Grammar) subordinate(words []word, at int) bool {
	for i := at - 1; i >= 0 && !words[i].stop; i-- {
		if g.Subordinators[words[i].lower] {
			return true
		}
	}
	return false
}

// agent reports whether the rest of the clause names who acts.
func (g *Grammar) agent(words []word, at int) bool {
	for ; at < len(words); at++ {
		w := words[at].lower
		if w == "by" && at+1 < len(words) && g.isAgent(words[at+1]) || g.AgentsBy[w] {
			return true
		}
		if words[at].stop || g.Be[w] {
			return false
		}
	}
	return false
}

func (g *Grammar) isAgent(w word) bool {
	if g.NoAgents[w.lower] || strings.HasSuffix(w.lower, "ing") {
		return false
	}
	return w.text[0] < '0' || w.text[0] > '9'
}

// pronoun returns a pronoun without an antecedent. Named reports whether the title or the
// sentence before names something.
func (g *Grammar) pronoun(s *Sentence, expletives []prose.Span, named bool) string {
	for i, w := range s.words {
		if !g.Pronouns[w.lower] && !g.bareDemonstrative(s.words, i) {
			continue
		}
		if named || within(expletives, w.from) || g.names(s, i) {
			continue
		}
		return w.text
	}
	return ""
}

// bareDemonstrative reports whether a demonstrative has no noun: "this is wrong" and "fix
// that", but not "this button".
func (g *Grammar) bareDemonstrative(words []word, i int) bool {
	if !g.Demonstratives[words[i].lower] {
		return false
	}
	last := i+1 == len(words) || words[i].stop
	if words[i].lower == "that" && i > 0 && !last {
		return false // "the file that is missing", "check that it works"
	}
	next := i + 1 // "that also happens"
	for next+1 < len(words) && (g.Adverbs[words[next].lower] || g.Also[words[next].lower]) {
		next++
	}
	return last || g.AfterDemonstrative[words[next].lower]
}

// names reports whether something before a place could be a pronoun's antecedent.
func (g *Grammar) names(s *Sentence, before int) bool {
	for i := 0; i < before && i < len(s.words); i++ {
		w := s.words[i]
		if w.code() {
			return true
		}
		if i == g.first(s) && g.Actions[w.lower] || g.light(w.lower) || within(s.vague, w.from) {
			continue
		}
		return true
	}
	return false
}

// light reports whether a word names nothing.
func (g *Grammar) light(w string) bool {
	return g.FunctionWords[w] || g.Pronouns[w] || g.Demonstratives[w] || g.Actions[w] && len(w) < 5 ||
		g.VagueNouns[w] || g.Obligations[w] || strings.HasSuffix(w, "ly")
}
