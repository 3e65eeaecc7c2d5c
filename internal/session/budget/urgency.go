package budget

import (
	"slices"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// score returns a signal's urgency: formula, commitment, floor, cap; the cap takes
// precedence (DP-1, DP-2, DP-4). A signal without a rework cost keeps its urgency.
func (c *Config) score(s *sessionevents.Signal, committed bool) sessionevents.Urgency {
	u := s.Urgency
	if s.ReworkCost > 0 {
		u = sessionevents.UrgencyOf(s.ReworkCost, c.selfCorrect(s, committed))
	}
	if s.Floor != nil {
		u = max(u, *s.Floor)
	}
	if s.Cap != nil {
		u = min(u, *s.Cap)
	}
	return u
}

// selfCorrect returns P(self-corrects) once it is known whether the primary continued to
// build the thing (DP-4).
func (c *Config) selfCorrect(s *sessionevents.Signal, committed bool) float64 {
	if committed && slices.Contains(c.Commitment.Classes, s.Class) {
		return min(s.SelfCorrect, 1-c.Commitment.NotSelfCorrect)
	}
	return s.SelfCorrect
}

// Escalates reports whether a signal bypasses formula, grace, cooldown and budget limit
// for security (DP-3).
func (c *Config) Escalates(s *sessionevents.Signal) bool {
	return slices.Contains(c.Escalation.Detectors, s.Detector) && s.Confidence > c.Escalation.ConfidenceAbove
}

// escalationLabel returns what an escalation shows in place of an urgency (DP-3).
func escalationLabel(s *sessionevents.Signal) string { return s.Detector + "-ESCALATE" }

// classRank returns the rank of a class among ties; unknown classes come last (DP-13).
func (c *Config) classRank(class sessionevents.Class) int {
	if i := slices.Index(c.ClassOrder, class); i >= 0 {
		return i
	}
	return len(c.ClassOrder)
}
