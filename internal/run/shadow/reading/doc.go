// Package reading reads an agent's report as a person would skim it: words, sections,
// lists of findings, names of files, and sentences that contain one of a list of phrases.
// Shadows are computed from it if structured fields are missing, since those take precedence
// over text (docs/run-watch.md).
package reading
