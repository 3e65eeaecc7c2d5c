package transcript

import (
	"errors"
	"fmt"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/record"
)

// ErrUnknown is wrapped by the errors for input that is not a transcript and for an
// unknown format name.
var ErrUnknown = errors.New("no known transcript format")

// Structure is how the bytes of a transcript are laid out.
type Structure string

// Structures. One is one JSON object that may be a document or a single line.
const (
	Lines  Structure = "lines"  // JSONL
	Array  Structure = "array"  // one JSON array
	Object Structure = "object" // one JSON object over several lines, or cut off
	One    Structure = "one"    // one whole JSON object and nothing after it
	Text   Structure = "text"
)

// Head is the beginning of a transcript, up to HeadSize, as formats see it to
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
	// Signs says for people, in Markdown, by what the format is recognised, and
	// Limits what to know of how it is read; "" for nothing. docs/formats.md is
	// generated from both.
	Signs, Limits string

	// Metadata marks a format that holds facts about a session and no turns:
	// such a file yields session.opened alone.
	Metadata bool
	// Log marks a format whose records are events themselves: no session is
	// opened or closed beside them.
	Log bool
	// Text marks a format of plain lines, whatever some of them look like.
	Text bool
	// Generic marks a format whose marks others share: another one that shows further
	// into a document is surer.
	Generic bool
	// Document marks a format that is edited in place: whoever follows it reads it again
	// when it changed, and its decoder gives what did not change the same ids.
	Document bool
	// Fallback marks the format of text that is nothing else.
	Fallback bool

	// Recognise returns the confidence, 0 to 100, that a transcript with this head is of
	// this format. Of equals the first in the list wins.
	Recognise func(Head) int
	// Begins reports whether a text that grows, of the Fallback format so far, can
	// still turn out to be of this format; nil for a format that shows at once.
	Begins func(head []byte) bool
	// Members says what to read of a JSON object; Whole reads it as one record.
	Members record.Members
	Whole   bool
	// Native is the key that one record of a turn is read under where the decoder
	// distinguishes records by it; "" where it does not.
	Native string
	// Decode makes the decoder of one transcript.
	Decode func(*Assembler) Decoder
}

// Decoder turns the records of one transcript into turns.
type Decoder interface {
	// Record reads the next record. An error says why the record is broken; it is
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

// holdsTurns reports whether records of the format can be one turn by itself.
func (f Format) holdsTurns() bool { return !f.Log && !f.Metadata }

// Formats are the formats that are known. Of two that are equally sure of a
// transcript, the first one reads it.
type Formats []Format

// names lists the names of the formats that match keep.
func (list Formats) names(keep func(Format) bool) string {
	var names []string
	for _, f := range list {
		if keep(f) {
			names = append(names, f.Name)
		}
	}
	return strings.Join(names, ", ")
}

// Turns returns the format of turns with this name. The error of a name that no
// such format has wraps ErrUnknown.
func (list Formats) Turns(name string) (Format, error) {
	for _, f := range list {
		if f.Name == name && f.holdsTurns() {
			return f, nil
		}
	}
	return Format{}, fmt.Errorf("%w: %q; a native turn can be of %s", ErrUnknown, name, list.names(Format.holdsTurns))
}
