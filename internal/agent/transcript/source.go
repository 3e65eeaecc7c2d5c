package transcript

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

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
