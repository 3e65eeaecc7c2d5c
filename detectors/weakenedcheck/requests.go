package weakenedcheck

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
)

// requests are what people want of checks: sentences of the task, of constraints, of
// messages and of instruction files, read once in a turn where they are needed.
type requests struct {
	protected map[string]protection // kind → what protects it
	allowed   map[string]bool       // on a condition that is for the agent to meet
	asked     map[string]bool
	demanded  bool // a check is to pass, or tests are to be written
	broken    bool // the failing check is the task
}

type protection struct{ id, text string }

func (w *requests) protects(kind string) bool { _, is := w.protected[kind]; return is }

func (t *turn) requests() *requests {
	if t.words != nil {
		return t.words
	}
	t.words = &requests{protected: map[string]protection{}, asked: map[string]bool{}, allowed: map[string]bool{}}
	b := t.Baseline()
	for _, c := range b.Constraints {
		t.protect(c)
	}
	for _, i := range t.Turn.Instructions {
		t.protect(i.Text)
	}
	texts := []string{}
	if len(b.Requests) == 0 {
		texts = append(texts, b.Task)
	}
	for _, r := range b.Requests {
		texts = append(texts, r.Text)
	}
	for _, text := range texts {
		for _, s := range prose.Sentences(text) {
			t.request(s.Text)
		}
	}
	return t.words
}

// protect notes what a sentence protects.
func (t *turn) protect(sentence string) {
	conditional := t.conditional.MatchString(sentence)
	for i := range t.Constraints {
		c := &t.Constraints[i]
		if !c.says.MatchString(sentence) {
			continue
		}
		for _, k := range c.Kinds {
			if conditional {
				t.words.allowed[k] = true
			} else if !t.words.protects(k) {
				t.words.protected[k] = protection{c.ID, sentence}
			}
		}
	}
}

// request reads a sentence of a person's message.
func (t *turn) request(sentence string) {
	w := t.words
	w.demanded = w.demanded || t.demands.MatchString(sentence)
	w.broken = w.broken || t.broken.MatchString(sentence)
	lower := strings.ToLower(sentence)
	if strings.Contains(sentence, "?") && !slices.ContainsFunc([]string{"can you", "could you", "please", "would you", "will you"}, func(p string) bool { return strings.Contains(lower, p) }) {
		return
	}
	t.protect(sentence)
	for i := range t.Asked {
		a := &t.Asked[i]
		at := a.says.FindStringIndex(sentence)
		if at == nil || t.negation.MatchString(sentence[:at[0]]) || t.negation.MatchString(sentence[at[0]:at[1]]) {
			continue
		}
		for _, k := range a.Kinds {
			w.asked[k] = true
		}
	}
}
