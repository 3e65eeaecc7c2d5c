// Package audit checks a recorded DECISIONS stream against its invariants, independently of the code that
// decides. It is pure: pass it the events of the stream in order and call Result.
package audit
