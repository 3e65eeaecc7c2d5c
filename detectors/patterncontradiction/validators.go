package patterncontradiction

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// sentence is a user's sentence with its words.
type sentence struct {
	text  string // lower case
	words []string
}

// users are the user's sentences so far, this turn's included.
func (t *turn) users() []sentence {
	if t.usersRead {
		return t.userTexts
	}
	t.usersRead = true
	b := t.Baseline()
	texts := []string{b.Task}
	for _, r := range b.Requests {
		texts = append(texts, r.Text)
	}
	texts = append(texts, b.Constraints...)
	for _, text := range texts {
		for _, s := range prose.Sentences(text) {
			lower := strings.ToLower(s.Text)
			t.userTexts = append(t.userTexts, sentence{lower, stemmed(lower)})
		}
	}
	return t.userTexts
}

func stemmed(text string) []string {
	words := similarity.Words(text)
	for i, w := range words {
		words[i] = similarity.Stem(w)
	}
	return words
}

// names reports whether a sentence names a thing: all of its words, in order.
func (s *sentence) names(thing string) bool {
	run := stemmed(strings.ToLower(thing))
	for i := 0; len(run) > 0 && i+len(run) <= len(s.words); i++ {
		if slices.Equal(s.words[i:i+len(run)], run) {
			return true
		}
	}
	return false
}

// asked reports whether the user asked for the thing by name (SW-42): a sentence
// that orders it, with no negation before its name. The rule itself orders nothing.
func (t *turn) asked(thing, rule string) bool {
	for _, s := range t.users() {
		if s.text == rule || !s.names(thing) || !t.request.MatchString(s.text) {
			continue
		}
		at := strings.Index(s.text, strings.ToLower(thing))
		if at < 0 {
			at = len(s.text)
		}
		before := strings.Fields(s.text[:at])
		near := strings.Join(before[max(0, len(before)-t.NegationWords):], " ")
		if !t.negation.MatchString(near) {
			return true
		}
	}
	return false
}

// changing reports whether the task changes the pattern: a user's sentence with
// such a verb names one of the things, or the job they do.
func (t *turn) changing(names []string, rule string) bool {
	for _, s := range t.users() {
		verb := t.change.FindStringIndex(s.text)
		if verb == nil || s.text == rule || t.negation.MatchString(s.text[:verb[1]]) {
			continue
		}
		if slices.ContainsFunc(names, func(name string) bool { return name != "" && s.names(name) }) {
			return true
		}
	}
	return false
}

// plan is what the turn says, thinking included.
func (t *turn) plan() string {
	if !t.planRead {
		t.planRead = true
		var b strings.Builder
		for i := range t.Pass.Turn.Segments {
			if s := &t.Pass.Turn.Segments[i]; s.Kind == sessionevents.SegmentPlan {
				b.WriteString(s.Text + "\n")
			}
		}
		t.planText = strings.ToLower(b.String())
	}
	return t.planText
}

// reasoned reports whether the agent gives a reason: a sentence of this turn
// that names one of the things and says why.
func (t *turn) reasoned(names []string) bool {
	if !slices.ContainsFunc(names, func(name string) bool { return name != "" && strings.Contains(t.plan(), strings.ToLower(name)) }) {
		return false
	}
	return slices.ContainsFunc(t.Additions.Sentences, t.givesReason(names))
}

// knows reports whether the agent named a thing, now or before, or read a file
// of that name.
func (t *turn) knows(established string) bool {
	if established == "" {
		return false
	}
	if strings.Contains(t.plan(), strings.ToLower(established)) || slices.Contains(t.memory.Named, established) {
		return true
	}
	module := strings.ToLower(lastPart(established))
	for _, read := range t.Before.FilesRead() {
		if strings.EqualFold(lastPart(read.Path), module) {
			return true
		}
	}
	for _, read := range t.Additions.FilesRead {
		if strings.EqualFold(lastPart(read.Item.Path), module) {
			return true
		}
	}
	return false
}

// nameEstablished remembers which established things this turn's plan names.
func (t *turn) nameEstablished() {
	if len(t.rulebook()) == 0 || t.plan() == "" {
		return
	}
	for _, r := range t.rulebook() {
		if r.established != "" && strings.Contains(t.plan(), strings.ToLower(r.established)) {
			t.memory.Named = bounded(t.memory.Named, r.established, t.Limits.Named)
		}
	}
}
