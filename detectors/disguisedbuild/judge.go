package disguisedbuild

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Judge reports a second version as corrected if one of the two is removed, the existing
// one is changed, or the plan returns to it, and as committed if a DIFF builds on the new
// one (SW-44).
func (d *instance) Judge(p *detect.Pass, s *sessionevents.Signal) (sessionevents.Outcome, string) {
	if len(s.Evidence) == 0 || s.Evidence[0].ConflictsWith == nil {
		return sessionevents.OutcomeOpen, ""
	}
	file, old := p.Before.Path(s.Evidence[0].Path), s.Evidence[0].ConflictsWith
	name, _, _ := strings.Cut(s.Subject, " (session ")
	has := func(list []registry.SegmentItem[registry.Built], path, name string) bool {
		return slices.ContainsFunc(list, func(i registry.SegmentItem[registry.Built]) bool {
			b := &i.Item.Symbol
			return b.Path == path && (b.Name == name || b.Name == "")
		})
	}
	if s.Subclass == "announced" {
		return d.judgeAnnounced(p, old)
	}
	switch {
	case has(p.Additions.Removed, file, name):
		return sessionevents.OutcomeCorrected, "the second version was removed"
	case has(p.Additions.Removed, old.Path, old.What):
		return sessionevents.OutcomeCorrected, "the first version was removed"
	case d.builtOn(p, file, name, old.Path):
		return sessionevents.OutcomeCommitted, "an edit builds on the second version"
	case has(p.Additions.Edited, old.Path, old.What):
		return sessionevents.OutcomeCorrected, "the existing one is changed"
	case d.turnsTo(p, base(old.What)):
		return sessionevents.OutcomeCorrected, "the plan names the existing one"
	}
	return sessionevents.OutcomeOpen, ""
}

// judgeAnnounced returns the outcome of an announcement.
func (d *instance) judgeAnnounced(p *detect.Pass, old *sessionevents.EarlierEvent) (sessionevents.Outcome, string) {
	words := similarity.Words(base(old.What))
	for i := range p.Additions.Built {
		s := &p.Additions.Built[i].Item.Symbol
		if s.Name != old.What && (d.special(similarity.Words(s.Name), words) || d.special(similarity.Words(stem(s.Path)), words) && s.Path != old.Path) {
			return sessionevents.OutcomeCommitted, "the second version is being built"
		}
	}
	switch {
	case touched(p, &sessionevents.Symbol{Path: old.Path}):
		return sessionevents.OutcomeCorrected, "the existing one is changed"
	case d.turnsTo(p, base(old.What)):
		return sessionevents.OutcomeCorrected, "the plan names the existing one"
	}
	return sessionevents.OutcomeOpen, ""
}

// builtOn reports whether an applied edit changes the new thing's file or uses its name.
func (d *instance) builtOn(p *detect.Pass, file, name, old string) bool {
	for i := range p.Additions.Diffs {
		record := &p.Additions.Diffs[i]
		if file != "" && record.Item.Path == file && file != old {
			return true
		}
		for _, line := range p.Turn.Segments[record.Segment].Diff.Added() {
			if strings.Contains(line.Text, base(name)) && name != old {
				return true
			}
		}
	}
	return false
}

// turnsTo reports whether a sentence of the plan mentions the existing thing as existing.
func (d *instance) turnsTo(p *detect.Pass, name string) bool {
	return slices.ContainsFunc(p.Additions.Sentences, func(s registry.Sentence) bool {
		return strings.Contains(s.Text, name) && d.Turning.MatchString(s.Text)
	})
}

// base returns the name that people and imports use for a symbol or a file.
func base(name string) string {
	if strings.ContainsAny(name, "/.") {
		return stem(name)
	}
	return name
}
