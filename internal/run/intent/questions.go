package intent

import (
	"fmt"
	"slices"
	"strings"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// openQuestions keeps those that would change the implementation until they are
// resolved, or stand in the risk register (PL-38a).
func (c *Context) openQuestions(list []runevents.OpenQuestion) {
	s := c.state
	for _, q := range list {
		text := c.text(q.Question)
		s.Questions = slices.DeleteFunc(slices.Clone(s.Questions), func(known Question) bool { return known.Text == text })
		if q.ChangesImplementation && strings.TrimSpace(q.Resolution) == "" && strings.TrimSpace(q.Risk) == "" {
			s.Questions = kept(append(s.Questions, Question{Event: c.Event.ID, Text: text}), c.config.Kept.List)
		}
	}
}

// unresolved warns of each when the implementation begins.
func (c *Context) unresolved() {
	for _, q := range c.state.Questions {
		c.warnOnce("PL-38a", CodeOpenQuestion, q.Text, fmt.Sprintf("Work began with an open question that changes it: %s Resolve it or put it into the risk register.", q.Text), q.Event)
	}
}

// observations of a retrospective say what became of them.
func (c *Context) observations(list []runevents.Observation) {
	for _, o := range list[:min(len(list), c.config.Kept.List)] {
		if !slices.Contains(c.config.Dispositions, strings.ToLower(strings.TrimSpace(o.Disposition))) {
			c.warn("PL-38a", CodeNoDisposition, fmt.Sprintf("The observation %q has no disposition (%s).", c.text(o.Text), strings.Join(c.config.Dispositions, ", ")))
		}
	}
}
