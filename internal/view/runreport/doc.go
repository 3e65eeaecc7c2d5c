// Package runreport folds the DECISIONS of a run into its report: what was
// decided, whether breaks were warranted (RW-32), what is open (RW-41), whether
// corrective actions helped (RW-42), how the run conforms to the wave protocol
// (WP-17, WP-19) and to the pipeline's rules (PL-3, PL-8, PL-20, PL-39, PL-40).
//
// [Fold] is pure and incremental: New, Apply for each event in stream order,
// Result at any time, for a run that is not over too. The same events give the
// same bytes, whatever rules are in force: what rules concluded comes with the
// events (run.judged).
//
// A report is laid out once, as parts, and written as Markdown, text, HTML or
// JSON. Text from agents is untrusted: each form escapes it for itself.
package runreport
