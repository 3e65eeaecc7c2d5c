package detect

import "slices"

// Beside is a suite with other rules that evaluates the same turns as a first suite
// (AU-20). A detector whose rule sections do not differ shares its findings and its state
// with the first suite.
type Beside struct {
	suite *Suite
	lent  map[string]int // by detector id: its index in the first suite
}

// Beside returns other in the form that runs alongside s. differs reports whether a
// section differs.
func (s *Suite) Beside(other *Suite, differs func(section string) bool) *Beside {
	b := &Beside{suite: other, lent: map[string]int{}}
	for _, e := range other.entries {
		at := slices.IndexFunc(s.entries, func(first entry) bool { return first.detector.ID == e.detector.ID })
		if at >= 0 && !slices.ContainsFunc(e.sections, differs) && !slices.ContainsFunc(s.entries[at].sections, differs) {
			b.lent[e.detector.ID] = at
		}
	}
	return b
}

// Suite returns the suite itself.
func (b *Beside) Suite() *Suite { return b.suite }

// Owns reports whether a section is read when a detector starts.
func (s *Suite) Owns(section string) bool {
	return slices.ContainsFunc(s.entries, func(e entry) bool { return slices.Contains(e.sections, section) })
}

// EvaluateBeside is Evaluate for several suites, each with its memory. It changes the memories.
func (s *Suite) EvaluateBeside(p *Pass, m *Memory, others []*Beside, memories []*Memory) (Result, []Result) {
	result, results := Result{Pending: s.judge(p, m)}, make([]Result, len(others))
	for i, o := range others { // before a turn changes the shared states
		memories[i].first, memories[i].lent = m, o.lent
		results[i].Pending = o.suite.judge(p, memories[i])
	}
	all := s.run(p, m, nil)
	s.conclude(p, m, all, &result)
	for i, o := range others {
		own := *p
		own.Reader = nil // the first suite's reader must not affect this one
		found := o.suite.run(&own, memories[i], func(id string) (ran, bool) {
			at, lent := o.lent[id]
			if !lent {
				return ran{}, false
			}
			return all[at], true
		})
		o.suite.conclude(&own, memories[i], found, &results[i])
	}
	return result, results
}
