// Package uncommitted knows whose work in a workspace is uncommitted: what git status shows, which sessions
// wrote it, and what was there before they began. Sessions are known from their hooks and from evaluated
// turns; Git is asked only if a command would destroy something.
package uncommitted
