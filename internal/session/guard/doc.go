// Package guard judges what a command would do to things that may not be recoverable
// (GD-1): whose uncommitted work would be lost, what is outside the workspace, what a
// pack says about data, infrastructure, downloads and secrets. It is pure: [Facts]
// provides what is known about the workspace, and the caller what a person asked for. The
// hook, scan, try, git-hook and the gates use it, and give the same answer to the same
// command and facts.
package guard
