package shadow

import (
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// lessonsInjected folds lessons that were put into an agent's prompt.
var lessonsInjected = Rule{ID: "RW-14", Folds: true, On: run.Types(runevents.TypeMemoryInjected), Run: run.With(func(c *Context, d *runevents.MemoryInjected) {
	for _, l := range d.Lessons[:min(len(d.Lessons), maxFindings)] {
		one := lesson{ID: text.Valid(text.Head(l.ID, c.config.Kept.FindingBytes)), Finding: l.Finding, Event: c.Event.ID}
		if l.Finding == "" {
			one.Text = text.Valid(text.Head(l.Text, c.config.Kept.FindingBytes)) // the only description of it
		}
		for i := range c.run.Findings {
			if t := &c.run.Findings[i]; l.Finding != "" && t.Finding.ID == l.Finding {
				known := t.Finding
				one.Known = &known
			}
		}
		c.run.Lessons = slices.DeleteFunc(c.run.Lessons, func(o lesson) bool { return o.Finding == one.Finding && o.Text == one.Text })
		c.run.Lessons = text.Newest(append(c.run.Lessons, one), c.config.Kept.Lessons)
	}
})}

// lessonRepeated is RW-14: a finding is reported although a lesson about it had been
// injected.
var lessonRepeated = Rule{ID: "RW-14", On: run.Types(runevents.TypeAgentCompleted, runevents.TypeReviewCompleted, runevents.TypeCycleCompleted), Run: func(c *Context) {
	findings, cycle := c.findings, c.cycle
	var because []sessionevents.Condition
	ids := []string{}
	for _, f := range findings[:min(len(findings), maxFindings)] {
		f = c.config.normal(f)
		if f.State == stateFixed {
			continue
		}
		if l := c.lessonOf(&f); l != nil {
			source := sessionevents.SourceFields
			if l.Finding == "" {
				source = sessionevents.SourceText
			}
			because = append(because, *held("lesson_repeated", source, 1, 0, "finding %s came again although lesson %s had been injected", nameOf(&f), l.ID))
			ids = append(ids, l.Event)
		}
	}
	if len(because) > 0 {
		c.reportSystem("RW-14", cycle, append(ids, c.Event.ID), because...)
	}
}}

// lessonOf returns the lesson about a finding: by id, by the known finding that the
// lesson names or, if it names none, by the words of both.
func (c *Context) lessonOf(f *runevents.Finding) *lesson {
	concerns := c.config.compiled.concerns
	said := concerns.read(f.Text)
	for i := range c.run.Lessons {
		l := &c.run.Lessons[i]
		switch {
		case l.Finding == "":
			if l.Text != "" && concerns.saySame(concerns.read(l.Text), said) {
				return l
			}
		case l.Finding == f.ID:
			return l
		case l.Known != nil && f.ID == "" && samePlace(l.Known, f) && concerns.saySame(concerns.read(l.Known.Text), said):
			return l
		}
	}
	return nil
}
