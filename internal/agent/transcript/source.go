package transcript

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/sessionid"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Source yields the events of one transcript. It is not safe for concurrent use.
type Source struct {
	format    Format
	records   record.Reader
	decoder   Decoder
	assembler *Assembler
	packed    *packed // nil if the transcript is not compressed
	ended     bool
	err       error
}

// Open recognises the transcript in r, possibly compressed with zstd, and starts to read it. For input that
// is not a transcript, the error wraps ErrUnknown and lists the supported formats.
func (list Formats) Open(r io.Reader, opts Options) (*Source, error) {
	r, packed, err := unpack(r)
	if err != nil {
		return nil, fmt.Errorf("read the beginning of the transcript: %w", err)
	}
	in := bufio.NewReaderSize(r, HeadSize)
	head, err := list.peek(in, opts.Follow)
	if err != nil {
		return nil, fmt.Errorf("read the beginning of the transcript: %w", err)
	}
	h := Outline(head)
	f, confidence := list.best(h)
	unsure := confidence == 0 || f.Generic && h.Structure == Object
	if more := len(head) == HeadSize && h.Structure != Text; more && unsure && !opts.Follow {
		head = bytes.Clone(head) // the reader continues
		h = Outline(head)
		surer, found, again, err := list.further(r, in, h, opts.limit())
		if err != nil {
			return nil, fmt.Errorf("look for the format of the transcript: %w", err)
		}
		in = again
		if surer.Decode != nil {
			f, h, confidence = surer, found, 1
		}
	}
	if confidence == 0 {
		return nil, list.unknown(h)
	}
	s := f.open(in, head, h, opts)
	s.packed = packed
	return s, nil
}

// Open reads r as a transcript of the format, whether it is recognised or not.
func (f Format) Open(r io.Reader, opts Options) (*Source, error) {
	in := bufio.NewReaderSize(r, HeadSize)
	head, err := Formats(nil).peek(in, opts.Follow)
	if err != nil {
		return nil, fmt.Errorf("read the beginning of the transcript: %w", err)
	}
	return f.open(in, head, Outline(head), opts), nil
}

func (f Format) open(in *bufio.Reader, head []byte, h Head, opts Options) *Source {
	a := New(f.Name, sessionid.OfContent(f.Name, head), opts)
	records := f.reader(in, h, opts.limit(), a.Problems.Add)
	return &Source{format: f, assembler: a, decoder: f.Decode(a), records: records}
}

// peek returns the beginning of the input: all of the first HeadSize bytes or, for growing input, what is
// available once a first line is complete and its format is recognised.
func (list Formats) peek(in *bufio.Reader, follow bool) ([]byte, error) {
	want := HeadSize
	if follow {
		want = 1
	}
	for {
		head, err := in.Peek(want)
		if follow && err == nil {
			head, _ = in.Peek(in.Buffered())
			if len(head) < HeadSize && (bytes.IndexByte(head, '\n') < 0 || list.undecided(head)) {
				want = len(head) + 1
				continue
			}
		}
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull) {
			return nil, err
		}
		return head, nil
	}
}

// reader returns a reader that splits the input into the format's records.
func (f Format) reader(in *bufio.Reader, h Head, limit int, report record.Report) record.Reader {
	document := len(f.Members.Stream)+len(f.Members.Keep) > 0
	streams := slices.ContainsFunc(f.Members.Stream, func(key string) bool {
		return len(h.Probes) > 0 && h.Probes[0].Has(key)
	})
	switch {
	case f.Text, h.Structure == Text:
		return record.NewText(in)
	case f.Whole:
		return record.NewWhole(in, limit, report)
	case h.Structure == Array,
		document && h.Structure == Object,
		document && h.Structure == One && streams:
		return record.NewDocument(in, f.Members, limit, report)
	default:
		return record.NewLines(in, limit, report)
	}
}

// Format returns the format that was recognised.
func (s *Source) Format() Format { return s.format }

// Next returns the next event: session.opened, the turns, session.closed, in order of completion, then
// io.EOF. Any other error is the input's and final.
func (s *Source) Next() (events.Event, error) {
	for {
		if e, ok := s.assembler.Take(); ok {
			return e, nil
		}
		if s.err != nil {
			return events.Event{}, s.err
		}
		s.advance()
	}
}

// Rest returns the turns that are complete although nothing follows them, see [Assembler.Rest]. It is for
// readers that wait for a transcript to grow, and is called while Next waits. Compressed transcripts have
// none: what was read may not be decompressed yet.
func (s *Source) Rest(long bool) (out []events.Event) {
	if s.packed != nil {
		return nil
	}
	s.assembler.Rest(long)
	for {
		e, ok := s.assembler.Take()
		if !ok {
			return out
		}
		out = append(out, e)
	}
}

// advance reads one record, or ends.
func (s *Source) advance() {
	if s.ended {
		s.err = io.EOF
		return
	}
	rec, err := s.records.Next()
	switch {
	case errors.Is(err, io.EOF):
		s.ended = true
		if s.packed != nil && s.packed.torn {
			s.assembler.Problem("the packed transcript breaks off; what was whole before is read")
		}
		s.decoder.End()
		if !s.format.Log {
			s.assembler.End(s.format.Metadata)
		}
	case err != nil:
		s.err = fmt.Errorf("read the transcript: %w", err)
	default:
		s.decode(rec)
	}
}

// decode decodes one record, its invalid UTF-8 replaced: names of members are kept, too (EV-3). If a lost
// line break left several values on a line, they are decoded one by one.
func (s *Source) decode(rec record.Record) {
	rec.Data = events.ValidUTF8(rec.Data)
	s.assembler.At(rec.Line, rec.Offset)
	err := s.decoder.Record(rec)
	if err == nil {
		return
	}
	if parts := record.Split(rec.Data); len(parts) > 1 && s.decodeEach(rec, parts) {
		return
	}
	s.assembler.Problem("%v", err)
}

// decodeEach decodes the parts of a record and reports whether all were valid.
func (s *Source) decodeEach(rec record.Record, parts [][]byte) bool {
	good := true
	for _, part := range parts {
		rec.Data = part
		if s.decoder.Record(rec) != nil {
			good = false
		}
	}
	return good
}

// Problems returns, in order, the first places that could not be read, at most MaxProblems, and their
// total.
func (s *Source) Problems() (list []Problem, total int) {
	return s.assembler.Problems.List, s.assembler.Problems.Total
}

// Stats returns the counts of what was read so far.
func (s *Source) Stats() Stats { return s.assembler.Stats }

// maxWindow limits the window of a compressed transcript, in bytes, and so the memory for decompression.
const maxWindow = 64 << 20

// zstdMagic is how each zstd frame begins; DeepSeek Harness compresses its logs with zstd.
var zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}

// packed decompresses a compressed transcript.
type packed struct {
	frames *zstd.Decoder
	torn   bool // it ended in the middle of a frame
}

// unpack returns r, or its decompressed content; packed is nil if r is not compressed.
func unpack(r io.Reader) (io.Reader, *packed, error) {
	seeker, twice := r.(io.ReadSeeker)
	if twice {
		if _, err := seeker.Seek(0, io.SeekCurrent); err != nil {
			twice = false // a pipe
		}
	}
	if !twice {
		in := bufio.NewReaderSize(r, HeadSize)
		if head, _ := in.Peek(len(zstdMagic)); !bytes.Equal(head, zstdMagic) {
			return in, nil, nil
		}
		return unpacking(in)
	}
	head := make([]byte, len(zstdMagic))
	_, err := io.ReadFull(seeker, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, nil, err
	}
	if _, err := seeker.Seek(0, io.SeekStart); err != nil {
		return nil, nil, err
	}
	if !bytes.Equal(head, zstdMagic) {
		return r, nil, nil
	}
	return unpacking(r)
}

func unpacking(r io.Reader) (io.Reader, *packed, error) {
	frames, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, nil, fmt.Errorf("unpack it: %w", err)
	}
	p := &packed{frames: frames}
	return p, p, nil
}

// Read reads decompressed bytes. The log of a writer that was stopped ends in the middle of a frame:
// everything before that is returned.
func (p *packed) Read(b []byte) (int, error) {
	n, err := p.frames.Read(b)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		p.torn = true
		err = io.EOF
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = fmt.Errorf("unpack it: %w", err)
	}
	return n, err //nolint:wrapcheck // io.EOF as it is
}

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
