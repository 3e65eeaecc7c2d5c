package shadow

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// RW-5: the Skeptic's Paralysis. Its findings are its challenges.

// tooManyChallenges counts challenges (RW-5).
func tooManyChallenges(k *work) *sessionevents.Condition {
	limit := k.config.Skeptic.Challenges
	if len(k.findings) <= limit {
		return nil
	}
	return held("too_many_challenges", k.findingsFrom, len(k.findings), limit, "%d challenges", len(k.findings))
}

// fewAlternatives counts challenges that include an alternative (RW-5).
func fewAlternatives(k *work) *sessionevents.Condition {
	s := &k.config.Skeptic
	n := len(k.findings)
	with := k.count(func(f *runevents.Finding) bool { return f.Fix != "" || k.config.Words.Alternatives.In(f.Text) })
	if n < s.AlternativeChallenges || with*100 >= s.AlternativePercent*n {
		return nil
	}
	return held("few_alternatives", k.findingsFrom, with*100/n, s.AlternativePercent, "an alternative is named for %d of %d challenges", with, n)
}

// sameConcern finds a concern that is repeated in other words (RW-5); in another place it
// is a different concern.
func sameConcern(k *work) *sessionevents.Condition {
	limit := k.config.Skeptic.Repeats
	concerns := k.config.compiled.concerns
	said := make([]statement, len(k.findings))
	for i := range k.findings {
		said[i] = concerns.read(k.config.challenge(k.findings[i].Text))
	}
	most, example := 0, ""
	for i := range said {
		times := 1
		for j := range said {
			if i != j && k.onePlace(i, j) && concerns.saySame(said[i], said[j]) {
				times++
			}
		}
		if times > most {
			most, example = times, said[i].text
		}
	}
	if most < limit {
		return nil
	}
	return held("same_concern", k.findingsFrom, most, limit, "the same concern %d times: %s", most, quote.Passage(text.Valid(text.Head(example, 80))))
}

// challenge returns the text of a challenge without the sentences that offer an
// alternative, since a stock alternative does not make different challenges the same
// concern.
func (c *Config) challenge(text string) string {
	if !c.Words.Alternatives.In(text) {
		return text
	}
	var doubts []string
	for line := range strings.Lines(text) { // a title ends without a full stop
		for _, sentence := range prose.Sentences(line) {
			if !c.Words.Alternatives.In(sentence.Text) {
				doubts = append(doubts, sentence.Text)
			}
		}
	}
	if len(doubts) == 0 {
		return text
	}
	return strings.Join(doubts, " ")
}

// onePlace reports whether two findings may be about the same place.
func (k *work) onePlace(i, j int) bool {
	a, b := &k.findings[i], &k.findings[j]
	if a.File != "" && b.File != "" && a.File != b.File {
		return false
	}
	return a.Line == 0 || b.Line == 0 || a.Line == b.Line
}

// outsideScope counts findings outside the scope (RW-5).
func outsideScope(k *work) *sessionevents.Condition {
	limit := k.config.Skeptic.Outside
	n := k.count(k.beyondScope)
	if n <= limit {
		return nil
	}
	return held("outside_scope", k.findingsFrom, n, limit, "%d findings are outside the scope", n)
}

// beyondScope reports whether a finding is outside the change and the proposal.
func (k *work) beyondScope(f *runevents.Finding) bool {
	if f.InChangeset != nil {
		return !*f.InChangeset
	}
	if k.config.Words.OutsideScope.In(f.Text) || strings.Contains(strings.ToLower(f.Category), "out-of-scope") || strings.EqualFold(f.Category, "out of scope") {
		return true
	}
	if f.File == "" {
		return false
	}
	scope := k.changeset()
	if k.proposal != nil {
		scope = append(scope, k.proposal.Files...)
	}
	return len(scope) > 0 && !planned(scope, f.File) && !namesFile([]string{f.File}, firstNamed(scope, f.File))
}

// firstNamed returns the first file of a list that a shorter name may refer to, "" if
// none.
func firstNamed(files []string, name string) string {
	for _, file := range files {
		if namesFile([]string{name}, file) {
			return file
		}
	}
	return ""
}

// changeset returns the files of the change under review: those that the review names and
// those that the run's Makers changed.
func (k *work) changeset() []string {
	var out []string
	if k.filesFrom == sessionevents.SourceFields {
		out = append(out, k.files...)
	}
	return append(out, k.run.Changed...)
}

// untouched reports whether a finding is about code that the change does not touch; false
// if the change or the place is unknown.
func (k *work) untouched(f *runevents.Finding) bool {
	if f.InChangeset != nil {
		return !*f.InChangeset
	}
	files := k.changeset()
	return f.File != "" && len(files) > 0 && !planned(files, f.File) && firstNamed(files, f.File) == ""
}

// touched reports whether a finding is known to be about changed code.
func (k *work) touched(f *runevents.Finding) bool {
	if f.InChangeset != nil {
		return *f.InChangeset
	}
	return f.File != "" && len(k.changeset()) > 0 && !k.untouched(f)
}
