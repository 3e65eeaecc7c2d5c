// Package audit checks a recorded DECISIONS against what must always hold,
// knowing nothing of how it was decided. It is pure: feed it the events of the
// stream in order and ask for the result.
package audit
