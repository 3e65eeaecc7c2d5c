package run

import "strings"

// Reviewer is the author of a review. One review is reported by the completion of its
// agent, by review.completed or by both, under the agent's id, its archetype or a name of
// the reviewer's own.
type Reviewer struct {
	Name      string `json:"name,omitempty"`
	Archetype string `json:"archetype,omitempty"` // empty if unknown
	Cycle     int    `json:"cycle,omitempty"`
	Reviewed  bool   `json:"reviewed,omitempty"`  // reported by review.completed
	Completed bool   `json:"completed,omitempty"` // reported by agent.completed
}

// Same reports whether two reports are about one review: in one cycle, and under one
// name, or one of them under the bare archetype of the other's agent. Two reports of the
// same kind under two names are two reviews.
func (r Reviewer) Same(other Reviewer) bool {
	if r.Cycle != other.Cycle {
		return false
	}
	if r.Name != "" && strings.EqualFold(r.Name, other.Name) {
		return true
	}
	if r.Reviewed && other.Reviewed || r.Completed && other.Completed {
		return false
	}
	return r.named(other.Archetype) || other.named(r.Archetype)
}

func (r Reviewer) named(archetype string) bool {
	return archetype != "" && strings.EqualFold(strings.TrimSpace(r.Name), strings.TrimSpace(archetype))
}

// Join merges what another report of the same review says about its reviewer; the agent's
// id is the better name.
func (r Reviewer) Join(other Reviewer) Reviewer {
	if r.Archetype == "" {
		r.Archetype = other.Archetype
	}
	if r.Name == "" || other.Completed && !r.Completed && other.Name != "" {
		r.Name = other.Name
	}
	r.Reviewed, r.Completed = r.Reviewed || other.Reviewed, r.Completed || other.Completed
	return r
}
