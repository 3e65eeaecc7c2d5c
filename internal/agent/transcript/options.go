package transcript

import (
	"fmt"
	"io/fs"
	"time"
)

// Epoch is the time of the first event of a transcript without any timestamp;
// each later one is a second further, so that output is a function of input (EV-2).
var Epoch = time.Date(2000, time.January, 1, 0, 0, 0, 0, time.UTC)

// HeadSize is how much of a transcript is looked at first to decide what it is, in
// bytes. Where that shows nothing, the rest is looked through.
const HeadSize = 64 << 10

// Limits on what one session may hold in memory (EV-3).
const (
	defaultMaxRecord = 64 << 20
	maxPendingBytes  = 4 << 20  // user text waiting for its turn
	maxTurnBytes     = 32 << 20 // one turn; further tool output is replaced by its size and hash
	maxSessions      = 1024     // sessions assembled at the same time (a session and its subagents)
	maxRemembered    = 512      // turn ids remembered to recognise a repeat
	maxTurnID        = 256      // bytes; a longer one is replaced by its hash
)

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
	// one is reported and skipped. 0 means 64 MiB.
	MaxRecord int
	// Beside holds the files around the transcript, its folder's folder as root,
	// for formats that keep part of a run in others (archeflow); nil for none.
	Beside fs.FS
	// Here is the name of the transcript's own folder below Beside.
	Here string
	// Project is the project of runs that name none.
	Project string
}

// limit is the largest record that is read.
func (o Options) limit() int {
	if o.MaxRecord <= 0 {
		return defaultMaxRecord
	}
	return o.MaxRecord
}

// Problem is a place in a transcript that could not be read.
type Problem struct {
	Line   int    // from 1
	Offset int64  // bytes from the start of the transcript
	Reason string // for people; it never quotes content
}

// String returns the problem as a line for people.
func (p Problem) String() string {
	return fmt.Sprintf("line %d (byte %d): %s", p.Line, p.Offset, p.Reason)
}

// MaxProblems is how many problems are kept; the total is counted without end.
const MaxProblems = 100

// Problems collects what could not be read.
type Problems struct {
	List  []Problem // the first MaxProblems
	Total int
}

// Add records one problem.
func (p *Problems) Add(line int, offset int64, reason string) {
	p.Total++
	if len(p.List) < MaxProblems {
		p.List = append(p.List, Problem{Line: line, Offset: offset, Reason: reason})
	}
}
