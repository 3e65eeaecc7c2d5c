package wave

import (
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Mark is a position in the lists for reports. The zero value is the beginning.
type Mark struct {
	active    bool
	judged    int    // judgements
	occasions uint32 // see [State.occasions]
	caught    []int  // by incident: number of layers that caught it
	tainted   int    // waves
}

// Mark returns the current ends of the lists for reports.
func (s *State) Mark() Mark {
	if !s.Active {
		return Mark{}
	}
	m := Mark{active: true, judged: len(s.Judged), occasions: s.occasions(), tainted: len(s.Waves.tainted())}
	for i := range s.Incidents {
		m.caught = append(m.caught, len(s.Incidents[i].CaughtBy))
	}
	return m
}

// Since adds the conclusions after the mark: the isolation defence and the conformance of
// a run that uses the protocol (WP-17, WP-19).
func (s *State) Since(m Mark, out *runevents.RunJudged) {
	if !s.Active {
		return
	}
	out.Isolation = s.defence(m)
	if m.active && len(s.Judged) == m.judged && s.occasions() == m.occasions {
		return
	}
	out.Conformance, out.RulesBroken = s.conformance(m), s.rulesBroken(m)
}
