package researchspiral

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// purpose says what a run is for: "" for nothing that can be seen, which makes it
// a spiral. It is false where the task itself is to find something out.
func (d *instance) purpose(m *memory, p *detect.Pass) (why string, ok bool) {
	r := &m.Run
	studies, builds := d.task(p.Baseline())
	switch {
	case p.Turn.Agent.ParentSession != "" && d.explorer.MatchString(p.Turn.Agent.Archetype):
		return "", false // its parent sent it to read (SW-1)
	case studies && !builds:
		return "", false
	case studies:
		why = "the task asks to look into it first"
	case r.AfterError && r.Turns <= d.ErrorTurns:
		why = "it follows a failure"
	case m.Intent > 0 && m.Intent >= r.From-1 && p.Turn.Turn-m.Intent < d.IntentTurns:
		why = "a cause or the change to make was named"
	case r.Calls > 0 && float64(r.Linked) >= d.FocusShare*linked*float64(r.Calls):
		why = "each step follows from the task or the one before"
	}
	return why, true
}

// task reports whether the newest request asks for an answer, and whether it asks for a build.
func (d *instance) task(b *registry.Baseline) (studies, builds bool) {
	text := b.Task
	for i := len(b.Requests) - 1; i >= 0; i-- {
		if request := b.Requests[i].Text; len(strings.Fields(request)) >= minRequest || i == 0 && text == "" {
			text = request
			break
		}
	}
	if d.builds.MatchString(text) {
		return d.orders.MatchString(text), true
	}
	return d.studies.MatchString(text) || d.questions.MatchString(text), false
}

// minRequest is how many words a message needs to change the task: "Do it." and
// "yes" go on with the one before.
const minRequest = 4

// noteIntent keeps the turn in which the agent last named a cause or a change,
// in words or as code that it showed.
func (d *instance) noteIntent(m *memory, p *detect.Pass) {
	for i := range p.Turn.Segments {
		if s := &p.Turn.Segments[i]; s.Kind == sessionevents.SegmentDiff && s.Proposed {
			m.Intent = p.Turn.Turn
			return
		}
	}
	if len(p.Additions.Sentences) == 0 {
		return
	}
	size := 0
	for i := range p.Additions.Sentences {
		size += len(p.Additions.Sentences[i].Text) + 1
	}
	var text strings.Builder
	text.Grow(size)
	for _, s := range p.Additions.Sentences {
		text.WriteString(s.Text)
		text.WriteByte('\n')
	}
	said := text.String()
	if d.stated.MatchString(said) && (d.causes.MatchString(said) || d.namesChange(said)) {
		m.Intent = p.Turn.Turn
	}
}

// namesChange finds a change whose sentence names what of the code it changes.
func (d *instance) namesChange(said string) bool {
	for _, at := range d.changes.FindAllStringIndex(said, -1) {
		from := strings.LastIndexByte(said[:at[0]], '\n') + 1
		to := at[1] + strings.IndexByte(said[at[1]:], '\n')
		if d.names.MatchString(said[from:to]) {
			return true
		}
	}
	return false
}
