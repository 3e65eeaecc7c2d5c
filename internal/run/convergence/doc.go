// Package convergence compares the findings of a run's cycles: what was
// resolved, what is new, what persists and what came back (RW-30, RW-31).
//
// A finding is the same one by its id where both have one, else by file,
// category and a text that says nearly the same. Only open findings count: a
// fixed or deferred one is absent.
package convergence
