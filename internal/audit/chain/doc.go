// Package chain verifies what the stages recorded (AU-1): every checkpoint and message of SEGMENTS, SIGNALS
// and DECISIONS from the first message kept, the links between the streams, and the heads that were
// anchored outside of them (AU-2).
//
// It reads each stream once, in order, and keeps no message, so memory does not grow with the length of a
// stream. It shares only the form of a checkpoint with the stages, so that it does not repeat a mistake in
// how a stage writes or reads.
package chain
