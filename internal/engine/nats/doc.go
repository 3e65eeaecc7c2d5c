// Package natsio is how stages meet NATS JetStream; with pkg/client it is the
// only importer of nats.go and nats-server (architecture.md, "Layout").
//
// It holds the streams as data (topology.go, provision.go), an embedded server
// (server.go), and the source and the sink of a stage: source_input.go and
// reader.go read, sink.go and committer.go write. Every checkpoint is a link of
// the audit chain (chain.go, EV-7), and a reader accepts only what lies in the
// span of a valid one (reader.go, accept.go, EV-6), because any client can get foreign
// messages stored through the reply subject of its requests (facts/nats.md).
// Timers (timers.go, EV-9) and the heartbeats by which instances share
// partitions (members.go) are here too.
package nats
