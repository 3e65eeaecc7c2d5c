package intent

import (
	"slices"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Mark is a position in the calibration log.
type Mark struct {
	tally   Tally
	entry   string // event of the last entry
	misread string // the last finding
}

// Mark returns the end of the calibration log.
func (s *State) Mark() Mark {
	m := Mark{tally: s.Log.Tally}
	if n := len(s.Log.Entries); n > 0 {
		m.entry = s.Log.Entries[n-1].Event
	}
	if n := len(s.Log.Misread); n > 0 {
		m.misread = s.Log.Misread[n-1]
	}
	return m
}

// Since adds the entries after the mark (PL-39).
func (s *State) Since(m Mark, out *runevents.RunJudged) {
	log := runevents.Calibration{Tally: s.Log.Tally}
	i := len(s.Log.Entries)
	for i > 0 && s.Log.Entries[i-1].Event != m.entry {
		i--
	}
	log.Entries = slices.Clone(s.Log.Entries[i:])
	log.Misread = slices.Clone(s.Log.Misread[slices.Index(s.Log.Misread, m.misread)+1:])
	if log.Tally != m.tally || len(log.Entries)+len(log.Misread) > 0 {
		out.Calibration = &log
	}
}
