// Package preflight answers a harness that asks before a tool runs (DP-24):
// allow, warn or deny, from the tool call alone.
//
// It uses the code that judges the turn later: the redactor, the segmenter and the detectors whose
// findings escalate (DP-3). It keeps nothing between calls, so what only a session shows (a value
// that the file held before, a user's request) is not seen; the turn itself is judged when it is
// whole.
//
// Classes of answers: a halt (RW-33), a security finding in what is about to be written (B1,
// B2), a commit to main while worktrees exist (WP-4), a command that destroys work of somebody else (E3). Which classes are on, and how they answer, is
// data: rules/preflight.yaml.
package preflight
