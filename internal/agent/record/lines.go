package record

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

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
