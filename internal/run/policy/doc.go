// Package policy holds the rules about a run as a whole: failures in a row, broken
// suites, cycles that do not converge and repeated shadows (RW-30, RW-31), halts
// that are ignored (RW-33), resuming (RW-34), checkpoints and budgets (RW-20,
// RW-21), the escalation ladder (RW-40) and reminders (RW-41).
//
// The rules and their order are the list in rules.go; each idea has a file. What
// becomes of their conclusions, and of those of the other layers, package settle
// decides.
package policy
