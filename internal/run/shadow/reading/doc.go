// Package reading reads an agent's report as a person would skim it: words,
// sections, lists of findings, names of files, and sentences that hold one of a
// list of phrases. Shadows are computed from it where no structured fields are
// given: fields win over text (docs/run-watch.md).
package reading
