package pipeline

import (
	"slices"
)

// Degradation is a phase that handed over less than its contract asks for, and
// what came of it: the data that decides whether the policy should change (PL-3).
type Degradation struct {
	Phase    string `json:"phase"`
	Cycle    int    `json:"cycle,omitempty"`
	Quality  string `json:"quality"`
	Event    string `json:"event"`
	Findings int    `json:"findings,omitempty"`  // of later reviews, citing missing context
	FixLoops int    `json:"fix_loops,omitempty"` // begun later
}

// Leftover is what still bothered when a loop stopped at its limit (PL-8).
type Leftover struct {
	Cycle    int      `json:"cycle,omitempty"`
	Event    string   `json:"event"`
	Findings []string `json:"findings,omitempty"`
	Residual []string `json:"residual,omitempty"` // as the publisher says
}

// Evaluation is a judgement with the mode its author was declared in (PL-20).
type Evaluation struct {
	Agent   string `json:"agent"`
	Role    string `json:"role,omitempty"`
	Mode    string `json:"mode"` // "undeclared" where no agent.spawned told it
	Verdict string `json:"verdict,omitempty"`
	Event   string `json:"event"`
}

// ScopeResult is a scope check as recounted (PL-40).
type ScopeResult struct {
	Event      string `json:"event"`
	Missing    int    `json:"missing"` // missing and partial
	Unclear    int    `json:"unclear,omitempty"`
	Creep      int    `json:"creep"`
	Confidence string `json:"confidence"` // High, Medium, Low
}

// Degradations lists the phases that were not full, oldest first (PL-3).
func (s *State) Degradations() []Degradation {
	return listed(s, func(r *Run) []Degradation { return r.Degraded })
}

// Leftovers lists what loops left at their limit, oldest first (PL-8).
func (s *State) Leftovers() []Leftover {
	return listed(s, func(r *Run) []Leftover { return r.Leftovers })
}

// Evaluations lists judgements with the mode they were made in, oldest first (PL-20).
func (s *State) Evaluations() []Evaluation {
	return listed(s, func(r *Run) []Evaluation { return r.Judged })
}

// ScopeChecks lists scope checks as recounted, oldest first (PL-40).
func (s *State) ScopeChecks() []ScopeResult {
	return listed(s, func(r *Run) []ScopeResult { return r.Scopes })
}

func listed[T any](s *State, of func(*Run) []T) []T {
	if s.Run == nil {
		return nil
	}
	return slices.Clone(of(s.Run))
}
