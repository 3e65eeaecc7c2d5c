// Package pattern holds regular expressions that are compiled on first use, so that
// unused expressions cost nothing at start. Tests check the patterns of the embedded
// rules; patterns from a user's file are checked when they are read.
package pattern
