// Package chain verifies what the stages recorded (AU-1): every checkpoint and message of
// SEGMENTS, SIGNALS and DECISIONS from the first message kept, the links between the
// streams, and the heads that were anchored outside of them (AU-2).
//
// It reads each stream once, in order, and keeps no message: memory does not grow with
// the length of a stream. It shares the form of a checkpoint with the stages and nothing
// else, so that a fault in how a stage writes or reads does not hide here.
package chain
