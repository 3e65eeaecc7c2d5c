// Package policy holds the rules about a run as a whole: consecutive failures, broken
// suites, cycles that do not converge and repeated shadows (RW-30, RW-31), ignored halts
// (RW-33), resuming (RW-34), checkpoints and budgets (RW-20,
// RW-21), the escalation ladder (RW-40) and reminders (RW-41).
//
// The list in rules.go gives the rules and their order; each idea has a file. Package
// settle turns their conclusions, and those of the other layers, into decisions.
package policy
