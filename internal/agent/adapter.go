// Package adapter reads transcripts of coding agents and logs of CloudEvents as
// the events of the contract: session.opened, turn.raw with normalised blocks,
// session.closed (SW-1, SW-3). A format is recognised by content, never by name;
// damage is counted and named, never fatal; memory is bounded by the largest
// record and turn, not by the transcript (EV-3); the same bytes give the same
// events (EV-2).
package agent

import (
	"io/fs"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/assemble"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/format"
)

// Format is one kind of transcript.
type Format = format.Format

// Problem is a place in a transcript that could not be read.
type Problem = assemble.Problem

// Stats counts what a transcript held.
type Stats = assemble.Stats

// Options say how a transcript is read. The zero value reads a whole transcript
// under its own session id.
type Options struct {
	// Session is the session id to use in place of the transcript's own, "" for its own.
	Session string
	// Run is the run the session belongs to, "" for none; it decides the partition (EV-4).
	Run string
	// Follow reads a transcript that grows: Open does not wait for more than its
	// first line, and session.closed is left out.
	Follow bool
	// MaxRecord is the largest line or element that is read, in bytes; a longer
	// one is reported and passed over. 0 means 64 MiB.
	MaxRecord int
	// Beside holds the files around the transcript, its folder's folder as root,
	// for formats that keep part of a run in others (archeflow); nil for none.
	Beside fs.FS
	// Project is the project of runs that name none.
	Project string
}

const defaultMaxRecord = 64 << 20

// headSize is how much of a transcript decides what it is.
const headSize = 64 << 10
