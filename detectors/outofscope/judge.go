package outofscope

import (
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Judge calls the extra work corrected when it is reverted, dropped, asked for
// after all, or turns out to be what an edit in scope needs; committed when it
// goes on in the same file (SW-44).
func (d *instance) Judge(p *detect.Pass, s *events.Signal) (events.Outcome, string) {
	w := &watch{instance: d, memory: p.State.(*memory), pass: p, baseline: p.Baseline()}
	name := stem(s.Subject)
	outcome, why := events.OutcomeOpen, ""
	for i := range p.Turn.Segments {
		segment := &p.Turn.Segments[i]
		switch {
		case segment.Proposed || segment.Rejected:
		case segment.Kind == events.SegmentUser && mentions(segment.Text, s.Subject, name):
			return events.OutcomeCorrected, "the user speaks of it"
		case segment.Kind == events.SegmentPlan && d.drops.MatchString(segment.Text) && mentions(segment.Text, s.Subject, name):
			outcome, why = events.OutcomeCorrected, "declared out of scope"
		case segment.Kind == events.SegmentTool && d.drops.MatchString(command(segment)) && mentions(command(segment), s.Subject, name):
			outcome, why = events.OutcomeCorrected, "reverted"
		case segment.Kind == events.SegmentDiff && segment.Diff != nil && !segment.Diff.Failed:
			if o, reason := w.judgeEdit(segment, s, name); o != events.OutcomeOpen {
				outcome, why = o, reason
			}
		}
	}
	return outcome, why
}

func (w *watch) judgeEdit(segment *events.Segment, s *events.Signal, name string) (events.Outcome, string) {
	if file := w.pass.Before.Path(segment.Path); file != s.Subject {
		if uses(w.hunkText(segment.Diff), name) && w.belongs(file) {
			return events.OutcomeCorrected, "an edit in scope needs it"
		}
		return events.OutcomeOpen, ""
	}
	if w.reverts(segment) {
		return events.OutcomeCorrected, "reverted"
	}
	return events.OutcomeCommitted, "edited further"
}

// reverts: it takes away what the last edit of the file added.
func (w *watch) reverts(segment *events.Segment) bool {
	earlier := w.pass.Before.DiffsOf(segment.Path)
	if len(earlier) == 0 {
		return false
	}
	last := earlier[len(earlier)-1]
	return slices.ContainsFunc(w.pass.Additions.Diffs, func(d registry.SegmentItem[registry.DiffRecord]) bool {
		return d.Segment == segment.Index && d.Item.RemovedHash == last.AddedHash && d.Item.AddedHash == last.RemovedHash
	})
}

func command(s *events.Segment) string {
	if s.Tool == nil {
		return ""
	}
	return s.Tool.Command
}

// mentions reports whether a text names the subject or its file.
func mentions(text, subject, name string) bool {
	return strings.Contains(text, path.Base(subject)) || uses(text, name)
}

func uses(text, name string) bool {
	for token := range identifiers(text) {
		if token == name {
			return true
		}
	}
	return false
}
