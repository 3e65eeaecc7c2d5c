// Package engine runs a [step.Machine] exactly once over a recorded stream
// (EV-4 … EV-9).
//
// [Kernel] is the one place where a machine's Step is called: it caches the
// states of groups, guards steps against panics and overruns, saves snapshots,
// and rebuilds an evicted state from its snapshot and the inputs after it. Two
// callers drive it. [Runner] owns partitions of a stream: it reads the
// checkpoint, reads the source from there, folds a few inputs, and commits
// outputs, due snapshots and the next checkpoint in one atomic batch, fenced by
// the previous checkpoint, so that a second owner or a zombie changes nothing.
// After any error it discards everything in memory and starts again from the
// last checkpoint (crash-only). The chain of package memory feeds one event
// through all machines and returns what they decide, without goroutines.
//
// The files, in reading order: ports.go (what a source and a sink must do),
// kernel.go (one input), step.go (the guarded Step), states.go (the bounded
// cache), rebuild.go (a state from snapshot and tail), poison.go (inputs that
// cannot be folded); runner.go (owning partitions), attempt.go (the loop),
// unsaved.go and tails.go (what to save before the source loses it), batch.go
// and history.go (what one commit writes and reads back); replay.go and
// compare.go (the same runner against a recording). Implementations of the ports
// are packages nats and memory; this package knows neither.
package engine
