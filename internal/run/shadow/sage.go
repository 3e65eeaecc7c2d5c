package shadow

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/shadow/reading"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// reviewTooLong compares the words of the review with the lines of the diff
// (RW-7).
func reviewTooLong(k *work) *sessionevents.Condition {
	words, source := k.reviewWords()
	lines := k.lines
	if lines <= 0 {
		lines = k.run.Lines
	}
	limit := k.config.Sage.WordsPerLine * lines
	if lines <= 0 || words <= limit {
		return nil
	}
	return held("review_too_long", source, words, limit, "%d words about %s of diff", words, text.Count(lines, "line"))
}

// reviewWords counts the words of the report, or of the findings if there is none.
func (k *work) reviewWords() (n int, source sessionevents.ConditionSource) {
	if k.report != nil {
		return k.report.Words, sessionevents.SourceText
	}
	for i := range k.findings {
		n += reading.CountWords(k.findings[i].Text) + reading.CountWords(k.findings[i].Fix)
	}
	return n, k.findingsFrom
}

// outsideChangeset counts findings outside the changeset (RW-7).
func outsideChangeset(k *work) *sessionevents.Condition {
	n := k.count(k.untouched)
	if n == 0 {
		return nil
	}
	return held("outside_changeset", k.findingsFrom, n, 0, "%s outside the changeset", text.Count(n, "finding"))
}

// considerWithoutAction counts findings, or sentences of a report without a list of
// findings, that say "consider" without an action (RW-7).
func considerWithoutAction(k *work) *sessionevents.Condition {
	limit := k.config.Sage.Considers
	words := &k.config.Words
	n, source := k.count(func(f *runevents.Finding) bool {
		return f.Fix == "" && words.Consider.In(f.Text) && !words.Actions.In(f.Text)
	}), k.findingsFrom
	if k.findingsFrom == "" {
		source = sessionevents.SourceText
		for _, sentence := range k.say(&words.Consider) {
			if !words.Actions.In(sentence) {
				n++
			}
		}
	}
	if n <= limit {
		return nil
	}
	return held("consider_without_action", source, n, limit, `"consider" %d times without an action`, n)
}

// trivialDocumentation requires both in one sentence (RW-7): documentation, and a
// function that needs none.
func trivialDocumentation(k *work) *sessionevents.Condition {
	words := &k.config.Words
	asked := func(text string) bool {
		if text == "" {
			return false
		}
		for _, sentence := range words.Documentation.Sentences(reading.Read(text, len(text)), 0) {
			if words.TrivialFunctions.In(sentence) {
				return true
			}
		}
		return false
	}
	n := k.count(func(f *runevents.Finding) bool { return asked(f.Text) || asked(f.Fix) })
	if k.findingsFrom == "" && k.report != nil && asked(k.report.Text) {
		n = 1
	}
	if n == 0 {
		return nil
	}
	return held("trivial_documentation", sessionevents.SourceText, n, 0, "documentation is asked for trivial functions")
}
