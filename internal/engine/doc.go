// Package stage runs a step.Machine exactly once over a recorded stream
// (architecture.md, "Exactly-once on JetStream"; EV-4 … EV-9).
//
// Per partition the loop is: read the checkpoint, read the source from there,
// fold a few inputs, commit outputs, owed snapshots and the next checkpoint in
// one atomic batch, again. The commit is fenced by the previous checkpoint, so
// a second owner or a zombie changes nothing. On any error everything in memory
// is thrown away and the loop starts from the last checkpoint (crash-only).
//
// The files, in reading order: contract.go (what a source and a sink must do),
// runner.go (owning partitions), attempt.go (the loop), batch.go and fold.go (one input),
// states.go (the bounded cache), rebuild.go (a state from snapshot and tail),
// poison.go (inputs that cannot be folded), replay.go (the same runner against
// a recording). The package knows nothing of NATS; internal/engine/nats does.
package engine
