package wave

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/spec"
)

// Conformity says how a run stands to an invariant or rule (WP-19).
type Conformity string

// Conformities.
const (
	Held    Conformity = "held"     // there was occasion, and nothing was found
	Warned  Conformity = "warned"   // nothing worse than warnings
	Broken  Conformity = "broken"   // at least one violation
	NotSeen Conformity = "not_seen" // no event of the run tells of it
)

// Clause is an invariant (I1 … I6) or execution rule (E1 … E14) and how a run
// stands to it.
type Clause struct {
	ID         string     `json:"id"`
	Title      string     `json:"title"`
	Conformity Conformity `json:"conformity"`
	Violations int        `json:"violations,omitempty"`
	Warnings   int        `json:"warnings,omitempty"`
	Events     []string   `json:"events,omitempty"` // of what was found, in order
}

// clauses are the invariants and execution rules, and when a run gives occasion to
// hold or break them.
var clauses = []struct {
	id       string
	occasion func(*State) bool
}{
	{"I1", anyWave(func(w *Wave) bool { return w.Planned && w.LaunchAllowed })},
	{"I2", func(s *State) bool { return s.Plan.Approvals > 0 }},
	{"I3", anyWave(func(w *Wave) bool { return w.Number > 1 && w.LaunchAllowed })},
	{"I4", ended},
	{"I5", ended},
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

// Conformance is how a run stands to every invariant and rule, in their order; nil
// for a run that does not use the protocol (WP-19).
func Conformance(s *State) []Clause {
	if !s.Active {
		return nil
	}
	out := make([]Clause, 0, len(clauses))
	for _, c := range clauses {
		clause := Clause{ID: c.id, Title: title(c.id), Conformity: NotSeen}
		if c.occasion(s) {
			clause.Conformity = Held
		}
		for _, j := range s.Judged {
			if slices.Contains(j.Invariants, c.id) {
				clause.count(j)
			}
		}
		out = append(out, clause)
	}
	return out
}

// title returns the title of an invariant or execution rule as part of a sentence.
func title(id string) string {
	r, _ := spec.Find(id)
	return strings.ToLower(r.Title[:1]) + r.Title[1:]
}

func (c *Clause) count(j Judged) {
	if j.Warning {
		c.Warnings++
		if c.Conformity != Broken {
			c.Conformity = Warned
		}
	} else {
		c.Violations++
		c.Conformity = Broken
	}
	if !slices.Contains(c.Events, j.Event) {
		c.Events = append(c.Events, j.Event)
	}
}

// Rules is the same by rule (WP-1 … WP-18): what was found, the rules in the order
// of the specification; a rule that nothing was found of is not listed.
func Rules(s *State) []Clause {
	var out []Clause
	for _, id := range ruleIDs() {
		out = append(out, Clause{ID: id, Conformity: Held})
	}
	for _, j := range s.Judged {
		i := slices.IndexFunc(out, func(c Clause) bool { return c.ID == j.Rule })
		if i >= 0 {
			out[i].count(j)
		}
	}
	return slices.DeleteFunc(out, func(c Clause) bool { return c.Conformity == Held })
}
