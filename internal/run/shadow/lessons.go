package shadow

import (
	"slices"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// injected takes lessons that went into an agent's prompt.
func (w *watcher) injected(d *runevents.MemoryInjected) {
	a := w.run.note(d.AgentID, "", "", w.config.Kept.Agents)
	w.lessonsInPrompt(a, len(d.Lessons))
	for _, l := range d.Lessons[:min(len(d.Lessons), maxFindings)] {
		one := lesson{ID: shortText(l.ID, w.config.Kept.FindingBytes), Finding: l.Finding, Event: w.in.Event.ID}
		if l.Finding == "" {
			one.Text = shortText(l.Text, w.config.Kept.FindingBytes) // all that says what it is about
		}
		for i := range w.run.Findings {
			if t := &w.run.Findings[i]; l.Finding != "" && t.Finding.ID == l.Finding {
				known := t.Finding
				one.Known = &known
			}
		}
		w.run.Lessons = slices.DeleteFunc(w.run.Lessons, func(o lesson) bool { return o.Finding == one.Finding && o.Text == one.Text })
		w.run.Lessons = appendBounded(w.run.Lessons, one, w.config.Kept.Lessons)
	}
}

// cargoCult is RW-14: a finding is reported although a lesson about it had been
// injected.
func (w *watcher) cargoCult(findings []runevents.Finding, cycle int) {
	var because []sessionevents.Condition
	ids := []string{}
	for _, f := range findings[:min(len(findings), maxFindings)] {
		f = w.normal(f)
		if f.State == stateFixed {
			continue
		}
		if l := w.lessonOf(&f); l != nil {
			source := fromFields
			if l.Finding == "" {
				source = fromText
			}
			because = append(because, *held("lesson_repeated", source, 1, 0, "finding %s came again although lesson %s had been injected", nameOf(&f), l.ID))
			ids = append(ids, l.Event)
		}
	}
	if len(because) > 0 {
		w.tellSystem("RW-14", cycle, append(ids, w.in.Event.ID), because...)
	}
}

// lessonOf is the lesson about a finding: by id, by what the run knows of the
// finding that the lesson names, or, where it names none, by the words of both.
func (w *watcher) lessonOf(f *runevents.Finding) *lesson {
	concerns := w.config.compiled.concerns
	said := concerns.read(f.Text)
	for i := range w.run.Lessons {
		l := &w.run.Lessons[i]
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
