// Package nats is the connection to a broker, NATS JetStream, and what a process knows of it:
// [Connect] and [Open], the keys by which checkpoints are signed and checked, the stores that
// read single messages, and what [Broker.Inspect] finds. With its subpackages and pkg/client it
// is the only importer of nats.go.
//
// Each of the subpackages holds one idea, as functions that take a [Broker]:
//
//   - read returns what a stage committed; commit writes it; source is where a stage reads
//     its input from, live or recorded.
//   - control keeps the bucket CONTROL; keep runs beside a stage: heartbeats, timers, applied
//     rules.
//   - progress says how far a stage is, vitals whether the streams can be read and written.
//   - erase purges a session or run, dead handles dead letters, transfer copies whole streams
//     for backups.
//
// Four know no [Broker]: topology (streams and buckets as data, and how a broker differs from
// them), proof (which messages a stage committed), embedded (nats-server in this process) and
// natstest (a broker for tests).
package nats
