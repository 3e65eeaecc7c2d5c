// Package uncommitted knows whose work in a workspace is not committed: what git status
// shows, which sessions wrote it, and what was there before they began. Sessions are known
// from their hooks and from what was evaluated; Git is asked only when a command would
// destroy something.
package uncommitted
