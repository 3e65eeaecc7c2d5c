// Package backup copies a running system into a directory and restores it from there
// (AU-41).
//
// # What a backup holds
//
// Every stream with its messages as the broker stores them: sequence, time, subject,
// headers, data. They are cut into blocks by their sequence, compressed, and named by their
// digest, so that a block is written once however many backups of the directory have it. The
// file BACKUP lists the streams and is signed where there is a key. It is replaced in one
// step after everything that it names was read again and verified: until then, and after a
// kill at any moment, the directory is the earlier backup. What no longer belongs to it is
// removed afterwards, so that a purged session is not in the directory after the next backup.
//
// Not part of it: heartbeats, which mean nothing after a restart; the copies for agents, which
// the broker makes again; private keys; the read model, reports and the outbox of notices, which
// are made from DECISIONS.
//
// # Why the copies of streams agree
//
// Streams are copied one after the other while the system goes on, DECISIONS first, then
// SIGNALS, SEGMENTS and INPUT, then TIMERS and the intakes that INPUT copies from. POSITIONS
// comes before all of them, RULES after.
//
//   - A copy is a stream at one of its sequences, and ends with a whole batch. A stage's place
//     in its source is in the last checkpoint of its own stream. That source was copied
//     later, so it holds all that the checkpoint refers to, by position and by digest.
//   - So a restored stage finds itself where it was when its stream was copied, with input it has
//     not consumed yet: what came between the two copies. It derives from it what it derived
//     before, since a step depends on state and input alone: the same events with the same ids.
//     Nothing is decided twice, as the decisions that followed are not in the copy of
//     DECISIONS, and those in it are before the checkpoint.
//   - The other order could not be repaired. With SIGNALS older than DECISIONS, new signals would get
//     sequences that the dispatcher has consumed. A stage notices that its source ends before its
//     position and stops.
//   - INPUT copies from TIMERS and intakes. They come after INPUT in a backup and so hold the message
//     that it copied last. A broker may copy from them from their beginning after a
//     restore (2.15 does): such a message is known by its id.
//   - POSITIONS says up to where a stage's timers are in TIMERS. It is older than both. Timers after
//     it are set again, and known by their ids.
//   - CONTROL is a projection of DECISIONS and is repaired when the dispatcher starts. RULES
//     is written before the events that name an entry.
//
// # Restoring
//
// The whole backup is verified before the first message is written, and only an empty system is
// written to. Streams are restored in the order in which they were copied: with one of them
// missing, the stage that reads it stops as above. A mark in the broker keeps services from
// starting until all of them are there, and lets a restore that was killed begin again.
//
// A restored stream has the creation time of the original for anchors, and an identity of its own
// for whoever has read further in the history that was lost: read models are built again.
package backup
