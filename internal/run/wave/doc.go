// Package wave watches Scout-and-Wave runs (WP-1 … WP-19): rules about a run's events
// that answer the gates launch, worktrees and merge, and report breaches of the protocol.
// It never acts itself: that would break role separation (I6).
//
// The rules and their order are the list in rules.go; each rule or tight family of rules
// has a file. The state machine of WP-16 is the table in machine.go, the objections to
// each gate are the table in gate.go.
//
// Facts come from infrastructure (git.*, worktree.*, hook.*) and operators; the same
// event with another credential is a claim. A claim is reported, and counts only if it
// makes things worse or if infrastructure does not report on the run.
package wave
