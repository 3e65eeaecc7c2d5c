// Package guard judges what a command would do to things that may not come back (GD-1): whose
// uncommitted work is lost, what lies beyond the workspace, what a pack says of data,
// infrastructure, downloads and secrets. It is pure: what is known of the workspace comes from
// [Facts], what a person asked for from its caller. The hook, scan, try, git-hook and the gates ask
// it, and give the same answer to the same command on the same facts.
package guard
