package shadow

import (
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// injected takes lessons that went into an agent's prompt.
func (w *watcher) injected(d *events.MemoryInjected) {
	a := w.run.note(d.AgentID, "", "", w.config.Kept.Agents)
	w.lessonsInPrompt(a, len(d.Lessons))
	for _, l := range d.Lessons[:min(len(d.Lessons), maxFindings)] {
		if l.Finding == "" {
			continue // nothing says what it is about
		}
		one := lesson{ID: l.ID, Finding: l.Finding, Event: w.in.Event.ID}
		for i := range w.run.Findings {
			if t := &w.run.Findings[i]; t.Finding.ID == l.Finding {
				known := t.Finding
				one.Known = &known
			}
		}
		w.run.Lessons = slices.DeleteFunc(w.run.Lessons, func(o lesson) bool { return o.Finding == one.Finding })
		w.run.Lessons = appendBounded(w.run.Lessons, one, w.config.Kept.Lessons)
	}
}

// cargoCult is RW-14: a finding is reported although a lesson about it had been
// injected.
func (w *watcher) cargoCult(findings []events.Finding, cycle int) {
	var because []events.Condition
	ids := []string{}
	for _, f := range findings[:min(len(findings), maxFindings)] {
		f = w.normal(f)
		if f.State == stateFixed {
			continue
		}
		if l := w.lessonOf(&f); l != nil {
			because = append(because, *held("lesson_repeated", fromFields, 1, 0, "finding %s came again although lesson %s had been injected", nameOf(&f), l.ID))
			ids = append(ids, l.Event)
		}
	}
	if len(because) > 0 {
		w.tellSystem("RW-14", cycle, append(ids, w.in.Event.ID), because...)
	}
}

// lessonOf is the lesson about a finding: by id, or by what the run knows of the
// finding that the lesson names.
func (w *watcher) lessonOf(f *events.Finding) *lesson {
	for i := range w.run.Lessons {
		l := &w.run.Lessons[i]
		if l.Finding == f.ID {
			return l
		}
		concerns := w.config.compiled.concerns
		if l.Known != nil && f.ID == "" && samePlace(l.Known, f) && concerns.saySame(concerns.read(l.Known.Text), concerns.read(f.Text)) {
			return l
		}
	}
	return nil
}
