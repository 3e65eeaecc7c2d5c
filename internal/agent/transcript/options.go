package transcript

import (
	"fmt"
	"io/fs"
	"time"
)

// Epoch is the time of the first event of a transcript without any timestamp; each later one is a second
// later, so that output is a function of input (EV-2).
var Epoch = time.Date(2000, time.January, 1, 0, 0, 0, 0, time.UTC)

// HeadSize is how much of a transcript is examined first to recognise it, in bytes. If that is not enough,
// the rest is searched.
const HeadSize = 64 << 10

// Limits on what one session may hold in memory (EV-3).
const (
	defaultMaxRecord = 64 << 20
	maxPendingBytes  = 4 << 20  // user text waiting for its turn
	maxTurnBytes     = 32 << 20 // one turn; further tool output is replaced by its size and hash
	maxSessions      = 1024     // sessions assembled at the same time (a session and its subagents)
	maxRemembered    = 512      // turn ids remembered to recognise a repetition
	maxTurnID        = 256      // in bytes; a longer one is replaced by its hash
)

// Options configure how a transcript is read. The zero value reads a whole transcript under its own session
// id.
type Options struct {
	// Session is the session id to use instead of the transcript's own, "" for its own.
	Session string
	// Run is the run that the session belongs to, "" for none; it determines the partition (EV-4).
	Run string
	// Follow reads a growing transcript: Open waits only for its first line, and session.closed is left
	// out.
	Follow bool
	// MaxRecord limits a line or element, in bytes; a longer one is reported and skipped. 0 means 64 MiB.
	MaxRecord int
	// Beside holds the files around the transcript, with the parent of its folder as root, for formats that
	// keep part of a run in other files (archeflow); nil if there are none.
	Beside fs.FS
	// Here is the name of the transcript's own folder in Beside.
	Here string
	// Project is the project of runs that name none.
	Project string
}

// limit returns the largest record to read.
func (o Options) limit() int {
	if o.MaxRecord <= 0 {
		return defaultMaxRecord
	}
	return o.MaxRecord
}

// Problem is a place in a transcript that could not be read.
type Problem struct {
	Line   int    // from 1
	Offset int64  // in bytes from the start of the transcript
	Reason string // for people; it never quotes content
}

// String returns the problem as a line for people.
func (p Problem) String() string {
	return fmt.Sprintf("line %d (byte %d): %s", p.Line, p.Offset, p.Reason)
}

// MaxProblems is how many problems are kept; the total counts all of them.
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
