package rebuild

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Judge reports a rebuild as corrected if the repetition is removed or a turn with edits
// does not repeat it, and as committed if it continues (SW-44).
func (d *instance) Judge(p *detect.Pass, s *sessionevents.Signal) (sessionevents.Outcome, string) {
	if s.Subclass == "rewritten" {
		return d.judgeVersion(p, s)
	}
	is := func(list []registry.SegmentItem[registry.Built]) bool {
		for i := range list {
			b := &list[i].Item.Symbol
			if strings.EqualFold(b.Name, s.Subject) || b.Name == "" && len(s.Evidence) > 0 && b.Path == p.Before.Path(s.Evidence[0].Path) {
				return true
			}
		}
		return false
	}
	if is(p.Additions.Removed) {
		return sessionevents.OutcomeCorrected, "one of the two was taken out"
	}
	if is(p.Additions.Built) || is(p.Additions.Edited) {
		return sessionevents.OutcomeCommitted, "it is built on"
	}
	for i := range p.Additions.Diffs {
		if strings.EqualFold(p.Additions.Diffs[i].Item.Path, s.Subject) {
			return sessionevents.OutcomeCommitted, "it is built on"
		}
	}
	if len(p.Additions.Diffs) > 0 || s.Subclass != "announced" {
		return sessionevents.OutcomeCorrected, "not built again"
	}
	return sessionevents.OutcomeOpen, ""
}

// judgeVersion reports a rewritten file as corrected once something is run, and as
// committed if the file is written or edited again.
func (d *instance) judgeVersion(p *detect.Pass, s *sessionevents.Signal) (sessionevents.Outcome, string) {
	for i := range p.Turn.Segments {
		if d.runs(&p.Turn.Segments[i]) {
			return sessionevents.OutcomeCorrected, "run"
		}
	}
	for i := range p.Additions.Diffs {
		if p.Additions.Diffs[i].Item.Path == s.Subject {
			return sessionevents.OutcomeCommitted, "changed again before a run"
		}
	}
	return sessionevents.OutcomeOpen, "not run yet"
}
