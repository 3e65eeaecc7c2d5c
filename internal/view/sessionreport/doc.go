// Package sessionreport folds a session's DECISIONS into a report (DP-31 … DP-33) and
// renders it as Markdown, JSON, text for a terminal and one HTML page; package
// sarif writes the findings in files.
//
// [Fold] is pure and incremental: New, Apply for each event in stream order,
// Result at any time, for a live session too (DP-32). The same events give the
// same bytes. [Set] keeps a fold for each session of a stream. Text from
// sessions is untrusted: each renderer escapes it for its own format.
package sessionreport
