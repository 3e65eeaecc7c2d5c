// Package bundle hands a part of the record to somebody without access to the system (AU-11): one file, a
// zstd-compressed tar, that can be verified, replayed and reported on without a server.
//
// A bundle holds whole groups: runs with their sessions, or sessions without a run. From each of SEGMENTS,
// SIGNALS and DECISIONS it has the groups' messages and, for their partitions, every checkpoint from the
// group's first batch to its last. A checkpoint holds a mark of each message of its batch and the digest of
// the previous checkpoint, so each message is proven without the others of its batch, which belong to other
// groups and are left out. The checkpoints in which a key names its successor are included whole, to show
// who signed when (AU-3).
package bundle
