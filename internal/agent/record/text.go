package record

import (
	"bufio"
	"errors"
	"io"
)

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
