package runreport

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runlist"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Set keeps a fold for each run of a stream.
type Set struct {
	settings *Settings
	folds    map[string]*Fold
	order    []string // as they appeared
}

// NewSet returns an empty set. Without settings it uses those of the embedded rule data.
func NewSet(settings ...*Settings) *Set {
	return &Set{settings: chosen(settings), folds: map[string]*Fold{}}
}

// Apply folds one event of DECISIONS into the run it is about.
func (s *Set) Apply(ev events.Event) {
	if ev.Data == nil {
		return
	}
	id := runlist.RunOf(ev)
	f := s.folds[id]
	if f == nil {
		f = New(id, s.settings)
		s.folds[id] = f
		s.order = append(s.order, id)
	}
	f.Apply(ev)
}

// Results returns the reports in the order in which their runs appeared; a session
// without a run is included only if something was decided about it (RW-35).
func (s *Set) Results() []Model {
	var all []Model
	for _, id := range s.order {
		if f := s.folds[id]; f.Reportable() {
			all = append(all, f.Result())
		}
	}
	return all
}

// Result returns one run's report; ok is false for a run that never appeared.
func (s *Set) Result(run string) (m Model, ok bool) {
	f, known := s.folds[run]
	if !known || !f.Reportable() {
		return Model{}, false
	}
	return f.Result(), true
}
