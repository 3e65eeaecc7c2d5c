package format

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/assemble"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/record"
)

// Structure is how the bytes of a transcript are laid out.
type Structure string

// Structures. One is one JSON object that may be a document or a single line.
const (
	Lines  Structure = "lines"  // JSONL
	Array  Structure = "array"  // one JSON array
	Object Structure = "object" // one JSON object over several lines, or cut off
	One    Structure = "one"    // one whole JSON object and nothing behind it
	Text   Structure = "text"
)

// Head is the beginning of a transcript, up to 64 KB, as formats see it to
// recognise themselves. They look at content only, never at names.
type Head struct {
	Structure Structure
	Bytes     []byte
	// Probes outline the first records: lines, elements of an array, or the
	// document itself.
	Probes []record.Probe
}

// Format is one kind of transcript.
type Format struct {
	Name  string // short and stable: "claude-code"
	Title string // for people: "Claude Code session (JSONL)"
	// Metadata marks a format that holds facts about a session and no turns:
	// such a file yields session.opened alone.
	Metadata bool
	// Log marks a format whose records are events themselves: no session is
	// opened or closed beside them.
	Log bool
	// Text marks a format of plain lines, whatever some of them look like.
	Text bool

	// Recognise gives the confidence, 0 to 100, that a transcript with this head is of
	// this format. Of equals the first in the list wins.
	Recognise func(Head) int
	// Members says what to read of a JSON object; Whole reads it as one record.
	Members record.Members
	Whole   bool
	// Native is the key that one record of a turn is read under where the decoder
	// tells records apart by it; "" where it does not.
	Native string
	// Decode makes the decoder of one transcript.
	Decode func(*assemble.Assembler) Decoder
}

// Decoder turns the records of one transcript into turns.
type Decoder interface {
	// Record takes the next record. An error says why the record is broken; it is
	// counted and the transcript goes on. Record must change nothing before the
	// record is decoded.
	Record(record.Record) error
	// End is called after the last record.
	End()
}

// Best returns the highest confidence that any of the first records earns.
func Best(h Head, score func(record.Probe) int) int {
	best := 0
	for _, p := range h.Probes {
		best = max(best, score(p))
	}
	return best
}
