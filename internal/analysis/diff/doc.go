// Package diff reads the formats of edits — unified diffs with or without headers and
// line numbers, apply_patch envelopes, old and new text — into the contract's
// [events.FilePatch] and [events.Hunk] (SW-3, SW-4).
//
// No input makes it fail: text that is not a diff gives no patches. Line numbers that the
// source does not contain are 0.
package diff
