package transcript

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/record"
)

// ErrUnknown is wrapped by the errors for input that is not a transcript and for an unknown format name.
var ErrUnknown = errors.New("no known transcript format")

// Structure is the layout of a transcript's bytes.
type Structure string

// Structures. One is a single JSON object, which may be a document or one line.
const (
	Lines  Structure = "lines"  // JSONL
	Array  Structure = "array"  // one JSON array
	Object Structure = "object" // one JSON object over several lines, or truncated
	One    Structure = "one"    // one complete JSON object and nothing after it
	Text   Structure = "text"
)

// Head is the beginning of a transcript, up to HeadSize, by which formats recognise themselves. They look
// only at content, never at names.
type Head struct {
	Structure Structure
	Bytes     []byte
	// Probes outline the first records: lines, elements of an array, or the document itself.
	Probes []record.Probe
}

// Format is one kind of transcript.
type Format struct {
	Name  string // short and stable: "claude-code"
	Title string // for people: "Claude Code session (JSONL)"
	// Signs describes for people, in Markdown, by what the format is recognised, and Limits what to know
	// about reading it; "" for nothing. docs/formats.md is generated from both.
	Signs, Limits string

	// Metadata marks a format that holds facts about a session and no turns: such a file yields only
	// session.opened.
	Metadata bool
	// Log marks a format whose records are events: no session is opened or closed in addition.
	Log bool
	// Text marks a format of plain lines, whatever some of them look like.
	Text bool
	// Generic marks a format whose marks others share: another one that is recognised further into a
	// document takes precedence.
	Generic bool
	// Document marks a format that is edited in place: a follower reads it again when it changes, and its
	// decoder gives unchanged parts the same ids.
	Document bool
	// Fallback marks the format of text that no other format recognises.
	Fallback bool

	// Recognise returns the confidence, 0 to 100, that a transcript with this head is of this format. If
	// several are equal, the first in the list wins.
	Recognise func(Head) int
	// Begins reports whether a growing text, so far of the Fallback format, can still turn out to be of
	// this format; nil for a format that is recognised at once.
	Begins func(head []byte) bool
	// Members determines what is read of a JSON object; Whole reads it as one record.
	Members record.Members
	Whole   bool
	// Native is the key under which one record of a turn is read if the decoder distinguishes records by
	// key; otherwise "".
	Native string
	// Decode returns the decoder of one transcript.
	Decode func(*Assembler) Decoder
}

// Decoder turns the records of one transcript into turns.
type Decoder interface {
	// Record reads the next record. It returns an error if the record is broken, which is counted, and
	// reading continues. Record must not change anything before the record is decoded.
	Record(record.Record) error
	// End is called after the last record.
	End()
}

// Best returns the highest confidence for any of the first records.
func Best(h Head, score func(record.Probe) int) int {
	best := 0
	for _, p := range h.Probes {
		best = max(best, score(p))
	}
	return best
}

// holdsTurns reports whether records of the format can be a turn by themselves.
func (f Format) holdsTurns() bool { return !f.Log && !f.Metadata }

// Formats are the known formats. If two recognise a transcript with equal confidence, the first one reads
// it.
type Formats []Format

// names returns the names of the formats that match keep.
func (list Formats) names(keep func(Format) bool) string {
	var names []string
	for _, f := range list {
		if keep(f) {
			names = append(names, f.Name)
		}
	}
	return strings.Join(names, ", ")
}

// Turns returns the format of turns with this name. It fails with ErrUnknown, wrapped, if there is none.
func (list Formats) Turns(name string) (Format, error) {
	for _, f := range list {
		if f.Name == name && f.holdsTurns() {
			return f, nil
		}
	}
	return Format{}, fmt.Errorf("%w: %q; a native turn can be of %s", ErrUnknown, name, list.names(Format.holdsTurns))
}

// further looks for the marks of a format beyond the head, however far (IN-1), and returns the format, what
// is then known of the transcript, and a reader of the whole transcript. It holds one record; for input
// that cannot be read twice, it keeps what it examines, up to the largest record.
func (list Formats) further(r io.Reader, in *bufio.Reader, h Head, limit int) (best Format, found Head,
	again *bufio.Reader, err error,
) {
	seeker, twice := r.(io.Seeker)
	var kept bytes.Buffer
	source := io.Reader(in)
	if twice {
		if _, err := seeker.Seek(0, io.SeekCurrent); err != nil {
			twice = false // a pipe
		}
	}
	if !twice {
		source = io.TeeReader(io.LimitReader(in, int64(limit)), &kept)
	}
	best, found, err = list.search(bufio.NewReaderSize(source, HeadSize), h, limit)
	if err != nil {
		return best, found, nil, err
	}
	if !twice {
		return best, found, bufio.NewReaderSize(io.MultiReader(&kept, in), HeadSize), nil
	}
	if _, err := seeker.Seek(0, io.SeekStart); err != nil {
		return best, found, nil, err
	}
	return best, found, bufio.NewReaderSize(r, HeadSize), nil
}

// search returns the first format that is recognised with more confidence than by the head.
func (list Formats) search(in *bufio.Reader, h Head, limit int) (Format, Head, error) {
	found := h
	if h.Structure == Object {
		probe, whole := record.OutlineNext(in)
		found.Probes, found.Structure = []record.Probe{probe}, One
		if more, err := skipSpace(in); err != nil {
			return Format{}, h, err
		} else if whole && more {
			found.Structure = Lines
		}
		if f, confidence := list.best(found); confidence > 0 {
			return f, found, nil
		}
	}
	var records record.Reader
	switch ignore := func(int, int64, string) {}; found.Structure {
	case Lines:
		records = record.NewLines(in, limit, ignore)
	case Array:
		records = record.NewDocument(in, record.Members{}, limit, ignore)
	default:
		return Format{}, h, nil
	}
	for {
		rec, err := records.Next()
		if errors.Is(err, io.EOF) {
			return Format{}, h, nil
		}
		if err != nil {
			return Format{}, h, err
		}
		probe, _, _ := record.Outline(rec.Data)
		found.Probes = []record.Probe{probe}
		if f, confidence := list.best(found); confidence > 0 {
			return f, found, nil
		}
	}
}

// skipSpace reports whether anything but white space follows.
func skipSpace(in *bufio.Reader) (more bool, err error) {
	for {
		c, err := in.ReadByte()
		switch {
		case errors.Is(err, io.EOF):
			return false, nil
		case err != nil:
			return false, err
		case !bytes.ContainsRune([]byte(" \t\r\n"), rune(c)):
			return true, in.UnreadByte()
		}
	}
}
