// Package pattern holds regular expressions that are compiled when they are first
// used, so that a start costs nothing for what it does not need. The patterns of
// the embedded rules are checked by tests; those that a user's file changes are
// checked when they are read.
package pattern
