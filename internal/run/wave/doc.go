// Package wave watches Scout-and-Wave runs (WP-1 … WP-19): a fold of a run's
// events that answers the gates launch, worktrees and merge, and tells what broke
// the protocol. It never acts itself: that would break role separation (I6).
//
// Decide (decide.go) reads as the list of events and what each means. The state
// machine of WP-16 is the table in machine.go. Each gate has a file with the list
// of its objections in order; each rule or tight family of rules has one, too.
// The codes of violations and warnings are the table in codes.go.
//
// Facts come from infrastructure (git.*, worktree.*, hook.*) and operators; the
// same event with another credential is a claim: it counts only where it makes
// things worse, or where there is no infrastructure at all, and it is told.
package wave
