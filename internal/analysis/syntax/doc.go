// Package syntax reads declarations and imports from pieces of source code that need not
// be whole files: the added lines of an edit, the lines of a file that was read (SW-10,
// SW-12).
//
// Parsing a whole fragment costs a millisecond, so it is done in three steps: one regular
// expression per language (rules/syntax.yaml) finds the lines that look like
// declarations, a masking pass rejects those in comments and strings, and only the
// remaining bracket-balanced heads are parsed with tree-sitter, all in one buffer.
// Without cgo the third step is left out, which [Tier] reports.
package syntax
