package wave

import (
	"slices"
	"strings"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	"github.com/scaffoldwatch/scaffoldwatch/spec"
)

// Clause is an invariant (I1 … I6) or execution rule (E1 … E14), and how well a run
// conforms to it.
type Clause = runevents.Clause

// clauses lists the invariants and execution rules, and when each applies to a run.
var clauses = []struct {
	id       string
	occasion func(*State) bool
}{
	{"I1", anyWave(func(w *Wave) bool { return w.Planned && w.LaunchAllowed })},
	{"I2", func(s *State) bool { return s.Plan.Approvals > 0 }},
	{"I3", anyWave(func(w *Wave) bool { return w.Number > 1 && w.LaunchAllowed })},
	{"I4", ended},
	{"I5", reportedWithCommits},
	{"I6", anyWave(func(w *Wave) bool { return w.LaunchAllowed })},
	{"E1", anyWave(func(w *Wave) bool { return w.Parallel })},
	{"E2", func(s *State) bool { return s.Frozen }},
	{"E3", anyWave(func(w *Wave) bool { return w.Planned && w.LaunchAllowed })},
	{"E4", anyWave((*Wave).hasWorktree)},
	{"E5", anyWave((*Wave).hasWorktree)},
	{"E6", never},
	{"E7", anyWave(func(w *Wave) bool { return w.Merged })},
	{"E8", anyWave(func(w *Wave) bool { return len(w.blocking()) > 0 })},
	{"E9", anyWave(func(w *Wave) bool { return w.Merged })},
	{"E10", verified},
	{"E11", anyWave(func(w *Wave) bool { return w.Merged && w.hasWorktree() })},
	{"E12", anyWave(func(w *Wave) bool { return w.Merged && w.hasWorktree() })},
	{"E13", verified},
	{"E14", never},
}

func anyWave(is func(*Wave) bool) func(*State) bool {
	return func(s *State) bool { return slices.ContainsFunc(s.Waves, is) }
}

func never(*State) bool { return false }

func verified(s *State) bool {
	return slices.ContainsFunc(s.Waves, func(w *Wave) bool { return w.Verified && !w.Tainted })
}

func ended(s *State) bool {
	return slices.ContainsFunc(s.Waves, func(w *Wave) bool {
		return slices.ContainsFunc(w.Agents, func(a *Agent) bool { return a.Ended != "" })
	})
}

// reportedWithCommits reports whether I5 applies: agents reported, and each of them has
// commits of its own. An agent whose commit was refused, or whose branch is empty, does not
// show that the invariant held.
func reportedWithCommits(s *State) bool {
	any := false
	for _, w := range s.Waves {
		for _, a := range w.scoped() {
			if a.Ended == "" {
				continue
			}
			if a.Commits <= 0 && (s.Infra || a.Stated <= 0) && a.Worktree != nil {
				return false
			}
			any = true
		}
	}
	return any
}

// title returns the title of an invariant or execution rule as part of a sentence.
func title(id string) string {
	r, _ := spec.Find(id)
	return strings.ToLower(r.Title[:1]) + r.Title[1:]
}

// occasions returns the clauses that apply to the run, one bit each.
func (s *State) occasions() (bits uint32) {
	for i := range clauses {
		if clauses[i].occasion(s) {
			bits |= 1 << i
		}
	}
	return bits
}

// conformance returns the invariants and execution rules whose conformity changed since
// the mark, in their order; their Events are the added ones.
func (s *State) conformance(m Mark) []Clause {
	var out []Clause
	occasions := s.occasions()
	for i := range clauses {
		clause := Clause{ID: clauses[i].id, Title: title(clauses[i].id), Conformity: runevents.ConformityNotSeen}
		if occasions&(1<<i) != 0 {
			clause.Conformity = runevents.ConformityHeld
		}
		found := s.found(&clause, m.judged, func(j *Judged) bool { return slices.Contains(j.Invariants, clause.ID) })
		if found || !m.active || (occasions^m.occasions)&(1<<i) != 0 {
			out = append(out, clause)
		}
	}
	return out
}

// rulesBroken returns the same by rule (WP-1 … WP-18), for rules with findings since the
// mark, in the order of the specification.
func (s *State) rulesBroken(m Mark) []Clause {
	var out []Clause
	for _, id := range ruleIDs() {
		clause := Clause{ID: id}
		if s.found(&clause, m.judged, func(j *Judged) bool { return j.Rule == id }) {
			out = append(out, clause)
		}
	}
	return out
}

// found counts the findings about a clause; its Events are those of the judgements from
// an index on. It reports whether there are any from there on.
func (s *State) found(c *Clause, from int, of func(*Judged) bool) (added bool) {
	known := 0
	for i := range s.Judged {
		j := &s.Judged[i]
		if !of(j) {
			continue
		}
		if i >= from {
			added = true
		}
		if !slices.Contains(c.Events, j.Event) {
			c.Events = append(c.Events, j.Event)
			if i < from {
				known++
			}
		}
		if j.Warning {
			c.Warnings++
			if c.Conformity != runevents.ConformityBroken {
				c.Conformity = runevents.ConformityWarned
			}
		} else {
			c.Violations++
			c.Conformity = runevents.ConformityBroken
		}
	}
	c.Events = c.Events[known:]
	return added
}

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
