// Package reading reads an agent's report as a person would skim it: words,
// sections, lists of findings, names of files, and sentences that hold one of a
// list of phrases. Shadows are computed from it where no structured fields are
// given (run-watch.md, "Structured fields win over text").
package reading
