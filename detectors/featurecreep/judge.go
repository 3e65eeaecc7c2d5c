package featurecreep

import (
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Judge reports the extra feature as corrected if it is dropped, removed or requested
// after all, and as committed if a DIFF builds it (SW-44).
func (d *instance) Judge(p *detect.Pass, s *sessionevents.Signal) (sessionevents.Outcome, string) {
	if s.Subclass == "unasked" {
		return d.judgeUnasked(p, s)
	}
	if s.Subclass == "agents" {
		return sessionevents.OutcomeOpen, "they run"
	}
	own := d.own(prose.Terms(s.Subject))
	outcome, why := sessionevents.OutcomeOpen, ""
	for i := range p.Turn.Segments {
		segment := &p.Turn.Segments[i]
		switch segment.Kind {
		case sessionevents.SegmentUser:
			if d.mentions(segment.Text, own) && !d.drop.MatchString(segment.Text) {
				return sessionevents.OutcomeCorrected, "the user asks for it now"
			}
		case sessionevents.SegmentPlan:
			if d.drops(segment.Text, own) {
				outcome, why = sessionevents.OutcomeCorrected, "declared out of scope"
			}
		case sessionevents.SegmentDiff:
			if built, gone := d.edited(segment, own); built {
				outcome, why = sessionevents.OutcomeCommitted, "an edit builds it"
			} else if gone {
				outcome, why = sessionevents.OutcomeCorrected, "removed"
			}
		}
	}
	return outcome, why
}

// drops reports whether a sentence of a plan drops the feature.
func (d *instance) drops(plan string, own []string) bool {
	document := prose.Parse(plan)
	if !d.drop.MatchString(document.Text) { // most plans drop nothing
		return false
	}
	return slices.ContainsFunc(document.Sentences(), func(s prose.Span) bool {
		sentence := document.Text[s.From:s.To]
		return d.drop.MatchString(sentence) && d.mentions(sentence, own)
	})
}

// edited reports whether an applied edit adds or only removes lines about the feature.
func (d *instance) edited(s *sessionevents.Segment, own []string) (built, gone bool) {
	if !detect.Applied(s) {
		return false, false
	}
	about := func(l sessionevents.Line) bool { return d.mentions(l.Text, own) }
	built = slices.ContainsFunc(s.Diff.Added(), about) || s.Diff.Op == sessionevents.DiffCreate && d.mentions(s.Path, own)
	return built, !built && slices.ContainsFunc(s.Diff.Removed(), about)
}

// mentions reports whether text contains more than half of a feature's own words.
func (d *instance) mentions(text string, own []string) bool {
	terms := prose.Terms(text)
	said := 0
	for _, w := range own {
		if slices.Contains(terms, w) {
			said++
		}
	}
	return said > 0 && float64(said) > d.SameShare*float64(len(own))
}
