// Package convergence compares the findings of a run's cycles: what was
// resolved, what is new, what persists and what recurred (RW-30, RW-31).
//
// Two findings are the same if their ids are equal or, where one has no id, if
// file and category are equal and the texts are similar. Only open findings count: a
// fixed or deferred one is absent.
package convergence
