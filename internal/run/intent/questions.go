package intent

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// questionsKept keeps open questions that would change the implementation until
// they are resolved or listed in the risk register (PL-38a).
var questionsKept = Rule{ID: "PL-38a", On: run.Types(runevents.TypePhaseCompleted), Run: run.With(func(c *Context, data *runevents.PhaseCompleted) {
	s, list := c.state, data.OpenQuestions
	for _, q := range list {
		said := c.config.text(q.Question)
		s.Questions = slices.DeleteFunc(slices.Clone(s.Questions), func(known Question) bool { return known.Text == said })
		if q.ChangesImplementation && strings.TrimSpace(q.Resolution) == "" && strings.TrimSpace(q.Risk) == "" {
			s.Questions = text.Newest(append(s.Questions, Question{Event: c.Event.ID, Text: said}), c.config.Kept.List)
		}
	}
})}

// questionsUnresolved is PL-38a: it warns about each open question when the
// implementation starts.
var questionsUnresolved = Rule{ID: "PL-38a", On: working, Run: func(c *Context) {
	if !c.working {
		return
	}
	for _, q := range c.state.Questions {
		c.warnOnce("PL-38a", CodeOpenQuestion, q.Text, fmt.Sprintf("Work began with an open question that changes it: %s Resolve it or put it into the risk register.", q.Text), q.Event)
	}
}}

// observationsPlaced is PL-38a: each observation of a retrospective has a disposition.
var observationsPlaced = Rule{ID: "PL-38a", On: run.Types(runevents.TypePhaseCompleted, runevents.TypeRunCompleted), Run: func(c *Context) {
	var list []runevents.Observation
	switch data := c.Event.Data.(type) {
	case *runevents.PhaseCompleted:
		list = data.Observations
	case *runevents.RunCompleted:
		list = data.Observations
	}
	for _, o := range list[:min(len(list), c.config.Kept.List)] {
		if !slices.Contains(c.config.Dispositions, strings.ToLower(strings.TrimSpace(o.Disposition))) {
			c.warn("PL-38a", CodeNoDisposition, fmt.Sprintf("The observation %s has no disposition (%s).", quote.Passage(c.config.text(o.Text)), strings.Join(c.config.Dispositions, ", ")))
		}
	}
}}
