package outofscope

import (
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Judge reports the extra work as corrected if it is reverted, dropped, requested after
// all, or turns out to be needed by an edit in scope, and as committed if it continues in
// the same file (SW-44).
func (d *instance) Judge(p *detect.Pass, s *sessionevents.Signal) (sessionevents.Outcome, string) {
	w := &watch{instance: d, memory: p.State.(*memory), pass: p, baseline: p.Baseline()}
	name := stem(s.Subject)
	outcome, why := sessionevents.OutcomeOpen, ""
	for i := range p.Turn.Segments {
		segment := &p.Turn.Segments[i]
		switch {
		case segment.Proposed || segment.Rejected:
		case segment.Kind == sessionevents.SegmentUser && mentions(segment.Text, s.Subject, name):
			return sessionevents.OutcomeCorrected, "the user speaks of it"
		case segment.Kind == sessionevents.SegmentPlan && d.Drops.MatchString(segment.Text) && mentions(segment.Text, s.Subject, name):
			outcome, why = sessionevents.OutcomeCorrected, "declared out of scope"
		case segment.Kind == sessionevents.SegmentTool && d.Drops.MatchString(command(segment)) && mentions(command(segment), s.Subject, name):
			outcome, why = sessionevents.OutcomeCorrected, "reverted"
		case segment.Kind == sessionevents.SegmentDiff && segment.Diff != nil && !segment.Diff.Failed:
			if o, reason := w.judgeEdit(segment, s, name); o != sessionevents.OutcomeOpen {
				outcome, why = o, reason
			}
		}
	}
	return outcome, why
}

func (w *watch) judgeEdit(segment *sessionevents.Segment, s *sessionevents.Signal, name string) (sessionevents.Outcome, string) {
	if file := w.pass.Before.Path(segment.Path); file != s.Subject {
		if uses(w.hunkText(segment.Diff), name) && w.belongs(file) {
			return sessionevents.OutcomeCorrected, "an edit in scope needs it"
		}
		return sessionevents.OutcomeOpen, ""
	}
	if w.reverts(segment) {
		return sessionevents.OutcomeCorrected, "reverted"
	}
	return sessionevents.OutcomeCommitted, "edited further"
}

// reverts reports whether an edit removes what the last edit of the file added.
func (w *watch) reverts(segment *sessionevents.Segment) bool {
	earlier := w.pass.Before.DiffsOf(segment.Path)
	if len(earlier) == 0 {
		return false
	}
	last := earlier[len(earlier)-1]
	return slices.ContainsFunc(w.pass.Additions.Diffs, func(d registry.SegmentItem[registry.DiffRecord]) bool {
		return d.Segment == segment.Index && d.Item.RemovedHash == last.AddedHash && d.Item.AddedHash == last.RemovedHash
	})
}

func command(s *sessionevents.Segment) string {
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
