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
	keeps     map[string]bool // what a new arrangement of tests keeps
	demanded  bool            // a check is to pass, or tests are to be written
	broken    bool            // the failing check is the task
	repair    bool            // something that is wrong is to be put right
}

type protection struct{ id, text string }

func (w *requests) protects(kind string) bool { _, is := w.protected[kind]; return is }

// newRequests are those of nobody.
func newRequests() *requests {
	return &requests{
		protected: map[string]protection{}, asked: map[string]bool{}, allowed: map[string]bool{}, keeps: map[string]bool{},
	}
}

// protect notes what a sentence protects.
func (d *instance) protect(w *requests, sentence string) {
	conditional := d.Conditional.MatchString(sentence)
	for i := range d.Constraints {
		c := &d.Constraints[i]
		if !c.Says.MatchString(sentence) {
			continue
		}
		for _, k := range c.Kinds {
			if conditional {
				w.allowed[k] = true
			} else if !w.protects(k) {
				w.protected[k] = protection{c.ID, sentence}
			}
		}
	}
}

// request reads a person's message.
func (d *instance) request(w *requests, text string) {
	for _, s := range prose.Sentences(text) {
		d.sentence(w, s.Text)
	}
}

func (d *instance) sentence(w *requests, sentence string) {
	w.demanded = w.demanded || d.Demands.MatchString(sentence)
	w.broken = w.broken || d.Broken.MatchString(sentence)
	w.repair = w.repair || d.Repairs.MatchString(sentence)
	lower := strings.ToLower(sentence)
	if strings.Contains(sentence, "?") && !slices.ContainsFunc([]string{"can you", "could you", "please", "would you", "will you"}, func(p string) bool { return strings.Contains(lower, p) }) {
		return
	}
	d.protect(w, sentence)
	d.note(w.asked, d.Asked, sentence)
	d.note(w.keeps, d.Rearranges, sentence)
}

// note adds the kinds of edits that a sentence asks for.
func (d *instance) note(kinds map[string]bool, of []asked, sentence string) {
	for i := range of {
		if d.asks(&of[i], sentence) {
			for _, k := range of[i].Kinds {
				kinds[k] = true
			}
		}
	}
}

// asks reports whether a sentence asks for edits of a kind: its verb is an imperative, not a part of the task's
// subject matter (JD-31).
func (d *instance) asks(a *asked, sentence string) bool {
	for from := 0; ; {
		at := a.Says.FindStringIndex(sentence[from:])
		if at == nil {
			return false
		}
		begin, end := from+at[0], from+at[1]
		verb, _, _ := strings.Cut(sentence[begin:end], " ")
		if !d.Inflected.MatchString(verb) && !d.Negation.MatchString(sentence[begin:end]) && d.told(sentence[:begin]) {
			return true
		}
		from = begin + len(verb)
	}
}

// told reports whether a verb after some words of a sentence is an imperative.
func (d *instance) told(before string) bool {
	if at := d.Leading.FindStringIndex(before); at != nil {
		before = before[:at[0]]
	}
	return d.permission.Tells(before)
}
