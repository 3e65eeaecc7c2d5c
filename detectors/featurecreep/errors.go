package featurecreep

import (
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// failure is the stored part of a turn's lint, compile and test errors.
type failure struct {
	Turn  int      `json:"n"`
	Stems []string `json:"s"`
}

// noteErrors stores the words of the turn's errors while edits may be a response to them.
func (d *instance) noteErrors(m *memory, p *detect.Pass) {
	m.Failures = slices.DeleteFunc(m.Failures, func(f failure) bool { return p.Turn.Turn-f.Turn > d.ErrorTurns })
	var stems []string
	for i := range p.Turn.Segments {
		s := &p.Turn.Segments[i]
		if s.Kind != sessionevents.SegmentError || s.Error == nil || s.Rejected {
			continue
		}
		for _, w := range prose.Terms(s.Error.Signature + " " + s.Text) {
			if len(stems) < d.ErrorWords && !slices.Contains(stems, w) {
				stems = append(stems, w)
			}
		}
	}
	if len(stems) > 0 {
		m.Failures = append(m.Failures, failure{p.Turn.Turn, stems})
	}
}

// answersError reports whether a feature responds to an error of the previous turns.
func (d *instance) answersError(m *memory, stems []string) bool {
	own := d.own(stems)
	return slices.ContainsFunc(m.Failures, func(f failure) bool {
		return slices.ContainsFunc(own, func(w string) bool { return slices.Contains(f.Stems, w) })
	})
}
