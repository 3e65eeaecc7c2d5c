// Package backup copies a running system into a directory and restores it from there (AU-41).
//
// # What a backup holds
//
// A backup holds every stream, with its messages as the broker stores them: sequence, time, subject,
// headers, data. The messages are cut into blocks by sequence, compressed, and named by their digest, so
// that a block is written once however many backups of the directory contain it. The file BACKUP lists the
// streams and is signed if there is a key. It is replaced atomically, after everything that it names was
// read back and verified: until then, and after a kill at any moment, the directory is the earlier backup.
// Blocks that no longer belong to the backup are removed afterwards, so a purged session is gone from the
// directory after the next backup.
//
// A backup does not hold heartbeats, which mean nothing after a restart; the copies for agents, which the
// broker makes again; private keys; or the read model, reports and the outbox of notices, which are derived
// from DECISIONS.
//
// # Why the copies of streams agree
//
// Streams are copied one after the other while the system runs: DECISIONS first, then SIGNALS, SEGMENTS and
// INPUT, then TIMERS and the intakes that INPUT copies from. POSITIONS is copied before all of them, RULES
// after.
//
//   - A copy is a stream at one of its sequences, and ends with a complete batch. A stage's position
//     in its source is in the last checkpoint of its own stream. That source was copied
//     later, so it holds everything that the checkpoint refers to, by position and by digest.
//   - So a restored stage continues where it was when its stream was copied, with input that it has
//     not consumed yet: what arrived between the two copies. It derives from it what it derived
//     before, since a step depends on state and input alone: the same events with the same ids.
//     Nothing is decided twice, because the decisions that followed are not in the copy of
//     DECISIONS, and those in it precede the checkpoint.
//   - The opposite order could not be repaired. With SIGNALS older than DECISIONS, new signals would
//     get sequences that the dispatcher has already consumed. A stage notices that its source ends
//     before its position, and stops.
//   - INPUT copies from TIMERS and the intakes. They follow INPUT in a backup and therefore hold the
//     message that it copied last. A broker may copy from them from the beginning after a
//     restore (2.15 does); such a message is recognised by its id.
//   - POSITIONS records up to where a stage's timers are in TIMERS. It is older than both. Later
//     timers are set again, and recognised by their ids.
//   - CONTROL is a projection of DECISIONS and is repaired when the dispatcher starts. RULES
//     is written before the events that name an entry.
//
// # Restoring
//
// The whole backup is verified before the first message is written, and only to an empty system. Streams
// are restored in the order in which they were copied: if one is missing, the stage that reads it stops as
// above. A mark in the broker keeps services from starting until all streams are restored, and lets an
// interrupted restore start over.
//
// A restored stream keeps the creation time of the original, for anchors, but gets a new identity for
// readers that had read further in the history that was lost: read models are rebuilt.
package backup
