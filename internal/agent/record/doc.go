// Package record splits a transcript into records without holding it in memory: the lines of a JSONL file,
// or the elements of the arrays inside one JSON document. Damage is reported with its place and skipped,
// never fatal (EV-3).
package record

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// Record is one piece of a transcript. Data is valid until the next call of Next.
type Record struct {
	// Key is the record's place in a document: the member's name for a kept member or an element of a
	// streamed array, "" for a line and for an element of a top-level array.
	Key    string
	Data   []byte
	Line   int   // line on which the record begins, from 1
	Offset int64 // byte at which it begins, from 0
}

// Report reports a record that was skipped.
type Report func(line int, offset int64, reason string)

// Reader yields records in order, then io.EOF; other errors are those of the underlying reader.
type Reader interface {
	Next() (Record, error)
}

// Text reads plain text: each line with its line break is a record, a long one in pieces, so that no text
// is lost or held.
type Text struct {
	in     *bufio.Reader
	line   int
	offset int64
	broken bool // the last piece ended its line
}

// NewText returns a reader of unchanged lines.
func NewText(in *bufio.Reader) *Text { return &Text{in: in, broken: true} }

// Next returns the next line or piece of one.
func (t *Text) Next() (Record, error) {
	data, err := t.in.ReadSlice('\n')
	if len(data) == 0 && err != nil && !errors.Is(err, bufio.ErrBufferFull) {
		return Record{}, err
	}
	if err != nil && !errors.Is(err, bufio.ErrBufferFull) && !errors.Is(err, io.EOF) {
		return Record{}, err
	}
	if t.broken {
		t.line++
	}
	t.broken = data[len(data)-1] == '\n'
	rec := Record{Data: data, Line: t.line, Offset: t.offset}
	t.offset += int64(len(data))
	return rec, nil
}

// Whole reads the input as one record of at most limit bytes; the rest of a longer one is dropped and
// reported.
type Whole struct {
	in     *bufio.Reader
	limit  int
	report Report
	done   bool
}

// NewWhole returns a reader of one record.
func NewWhole(in *bufio.Reader, limit int, report Report) *Whole {
	return &Whole{in: in, limit: limit, report: report}
}

// Next returns the whole input, then io.EOF.
func (w *Whole) Next() (Record, error) {
	if w.done {
		return Record{}, io.EOF
	}
	w.done = true
	data, err := io.ReadAll(io.LimitReader(w.in, int64(w.limit)+1))
	if err != nil {
		return Record{}, fmt.Errorf("read the transcript: %w", err)
	}
	if len(data) > w.limit {
		data = data[:w.limit]
		w.report(1, int64(w.limit), fmt.Sprintf("text is over the limit of %d bytes; the rest is left out", w.limit))
	}
	return Record{Data: bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), Line: 1}, nil
}

// Lines reads JSONL: one record for each line that is not blank.
type Lines struct {
	in     *bufio.Reader
	limit  int
	report Report
	line   int
	offset int64
	long   []byte // reused for lines longer than the reader's buffer
}

// NewLines returns a reader for lines of at most limit bytes; a longer one is reported and skipped without
// being held.
func NewLines(in *bufio.Reader, limit int, report Report) *Lines {
	return &Lines{in: in, limit: limit, report: report}
}

// Next returns the next line that is not blank, without its line break.
func (l *Lines) Next() (Record, error) {
	for {
		start := l.offset
		data, err := l.read()
		if len(data) == 0 && err != nil {
			return Record{}, err
		}
		data = bytes.TrimSpace(data)
		data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")) // a byte order mark
		if len(data) > 0 {
			return Record{Data: data, Line: l.line, Offset: start}, nil
		}
	}
}

// read reads one line, "" for one over the limit. An error is returned only with the last, empty read.
func (l *Lines) read() ([]byte, error) {
	l.line++
	start := l.offset
	data, err := l.in.ReadSlice('\n')
	l.offset += int64(len(data))
	if !errors.Is(err, bufio.ErrBufferFull) {
		return data, lastLine(data, err)
	}
	l.long = append(l.long[:0], data...)
	over := false
	for errors.Is(err, bufio.ErrBufferFull) {
		data, err = l.in.ReadSlice('\n')
		l.offset += int64(len(data))
		if over = over || len(l.long)+len(data) > l.limit; !over {
			l.long = append(l.long, data...)
		}
	}
	if over {
		l.report(l.line, start, fmt.Sprintf("line of %d bytes is over the limit of %d", l.offset-start, l.limit))
		return []byte("\n"), nil
	}
	if Crowded(l.long) {
		l.report(l.line, start, fmt.Sprintf("line of %d bytes has over %d values", l.offset-start, maxValues))
		return []byte("\n"), nil
	}
	return l.long, lastLine(l.long, err)
}

// lastLine accepts a last line without a line break before its io.EOF.
func lastLine(data []byte, err error) error {
	if len(data) > 0 && errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
