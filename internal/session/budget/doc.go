// Package budget owns the interrupt budget: it decides which signals interrupt an agent,
// when, and why the others do not (DP-1 … DP-30).
//
// Its core is pure: [Decide] turns a session's state and an event into decisions,
// [Evolve] folds a decision into the state. No clock, no randomness, no I/O; time comes
// in as events. [Machine] wraps both as a stage: it forwards what DECISIONS needs,
// collects signals, and acts only when turn.evaluated closes a turn (DP-10).
//
// The order in which a turn is dispatched is one list, turnStages in decide.go; each
// stage has its own file. A signal lives in exactly one place — collected, pending (grace
// turn), queued — and leaves it by exactly one disposition or interrupt, so that every
// signal is accounted for (DP-18).
package budget
