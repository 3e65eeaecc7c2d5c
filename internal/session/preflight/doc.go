// Package preflight answers a harness that asks before a tool runs (DP-24): allow, warn
// or deny, from the tool call alone.
//
// It uses the code that evaluates the turn later: the redactor, the segmenter and the
// detectors whose findings escalate (DP-3). It keeps no state between calls, so it does
// not know what only a session shows (an earlier value in the file, a user's request);
// the turn itself is evaluated once it is complete.
//
// Classes of answers: a halt (RW-33), a security finding in what is about to be written
// (B1, B2), a commit to main while worktrees exist (WP-4), a command that destroys
// someone else's work (E3). Which classes are on, and how they answer, is data:
// rules/preflight.yaml.
package preflight
