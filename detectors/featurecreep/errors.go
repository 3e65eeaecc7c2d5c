package featurecreep

import (
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// failure is the stored part of a turn's lint, compile and test errors.
type failure struct {
	Turn  int      `json:"n"`
	Stems []string `json:"s"`
}

// noteErrors stores the words of the turn's errors while edits may be a response to them.
func (t *turn) noteErrors() {
	t.memory.Failures = slices.DeleteFunc(t.memory.Failures, func(f failure) bool { return t.Turn.Turn-f.Turn > t.ErrorTurns })
	var stems []string
	for i := range t.Turn.Segments {
		s := &t.Turn.Segments[i]
		if s.Kind != sessionevents.SegmentError || s.Error == nil || s.Rejected {
			continue
		}
		for _, w := range prose.Terms(s.Error.Signature + " " + s.Text) {
			if len(stems) < t.ErrorWords && !slices.Contains(stems, w) {
				stems = append(stems, w)
			}
		}
	}
	if len(stems) > 0 {
		t.memory.Failures = append(t.memory.Failures, failure{t.Turn.Turn, stems})
	}
}

// answersError reports whether a feature responds to an error of the previous turns.
func (t *turn) answersError(stems []string) bool {
	own := t.own(stems)
	return slices.ContainsFunc(t.memory.Failures, func(f failure) bool {
		return slices.ContainsFunc(own, func(w string) bool { return slices.Contains(f.Stems, w) })
	})
}
