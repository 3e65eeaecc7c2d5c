// Package transcript reads transcripts of coding agents and logs of CloudEvents as the events of the
// contract: session.opened, turn.raw with normalised blocks, session.closed (SW-1, SW-3).
//
// A [Format] defines how one kind of transcript is recognised, by its content and never by its name, and
// creates the [Decoder] of its records. The decoder reports what it reads to the [Session]s of an
// [Assembler], which groups it into turns: one for each response, with the results of its tools and the
// user messages before it. The same bytes give the same events, including ids and times (EV-2, EV-4);
// damage is counted and named, never fatal; memory is bounded by the largest record and turn, not by the
// transcript (EV-3).
//
// A file contains its records once and in order, and shows where a response ends. Turns from hook calls,
// which may arrive late, twice or never, are assembled by internal/session/hookturn.
package transcript
