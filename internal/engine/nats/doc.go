// Package nats connects stages to NATS JetStream. With its subpackages and
// pkg/client it is the only importer of nats.go.
//
// Five subpackages hold what does not need a connection of a stage: topology
// (streams and buckets as data, and how a broker differs from them), proof (which
// messages a stage committed), embedded (nats-server in this process), transfer
// (copies of whole streams, for backups), natstest
// (a broker for tests). This package holds, by the prefix of its files:
//
//   - connect.go, broker.go, inspect.go, extent.go, identity.go, restoring.go: a connection and what it
//     knows of the broker.
//   - read_*.go: reading what a stage committed. Any client can get foreign
//     messages stored through the reply subject of its requests, so a [Reader]
//     accepts only messages in the span of a valid checkpoint (EV-6). Checkpoints
//     form a chain (EV-7).
//   - source_*.go: the [engine.Source] of INPUT and of derived streams, and a
//     stage's recording for a replay.
//   - commit_*.go: the [engine.Sink]: one atomic batch of outputs, skips,
//     snapshots and the next checkpoint, shared by the partitions of a process.
//   - keep_*.go: what runs beside a stage: timers (EV-9), heartbeats by which
//     instances share partitions, and how both retry.
//   - control*.go: the bucket CONTROL, a projection of DECISIONS (EV-8).
//   - dead_letters.go: listing and retrying skipped inputs.
package nats
