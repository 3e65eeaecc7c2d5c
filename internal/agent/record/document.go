package record

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// Members determines which members of a document's top-level object become records. The elements of a
// streamed array are separate records; a kept member is one record; all others are skipped. A document that
// is an array yields its elements, regardless of Members.
type Members struct {
	Stream []string
	Keep   []string
}

// Document reads one JSON document record by record: a broken element costs only that element, and only one
// element is held at a time.
type Document struct {
	in      *bufio.Reader
	members Members
	limit   int
	report  Report

	line   int
	offset int64
	buffer []byte
	state  func(*Document) (Record, bool, error) // what follows
	key    string                                // name of the array being streamed
	nested bool                                  // whether that array is a member of an object
}

// NewDocument returns a reader for records of at most limit bytes; a longer one is reported and skipped.
func NewDocument(in *bufio.Reader, members Members, limit int, report Report) *Document {
	return &Document{in: in, members: members, limit: limit, report: report, line: 1, state: (*Document).begin}
}

// Next returns the next record; io.EOF after the last one, even if the document breaks off, which is
// reported.
func (d *Document) Next() (Record, error) {
	for d.state != nil {
		rec, ok, err := d.state(d)
		if err != nil {
			d.state = nil
			return Record{}, d.broken(err)
		}
		if ok {
			return rec, nil
		}
	}
	return Record{}, io.EOF
}

func (d *Document) broken(err error) error {
	var syntax *syntaxError
	switch {
	case errors.As(err, &syntax):
		d.report(d.line, d.offset, syntax.reason)
	case errors.Is(err, io.EOF):
		d.report(d.line, d.offset, "document breaks off before its end")
	default:
		return err
	}
	return io.EOF
}

type syntaxError struct{ reason string }

func (e *syntaxError) Error() string { return e.reason }

func (d *Document) begin() (Record, bool, error) {
	if mark, _ := d.in.Peek(3); bytes.Equal(mark, []byte("\xef\xbb\xbf")) {
		d.take(3)
	}
	c, err := d.next()
	switch {
	case err != nil:
		return Record{}, false, err
	case c == '{':
		d.state = (*Document).member
	case c == '[':
		d.state = (*Document).element
	default:
		return Record{}, false, &syntaxError{fmt.Sprintf("document begins with %q, not { or [", c)}
	}
	d.take(1)
	return Record{}, false, nil
}

func (d *Document) member() (Record, bool, error) {
	c, err := d.next()
	if err != nil {
		return Record{}, false, err
	}
	switch c {
	case ',':
		d.take(1)
		return Record{}, false, nil
	case '}':
		d.state = nil
		return Record{}, false, nil
	case '"':
	default:
		return Record{}, false, &syntaxError{fmt.Sprintf("unexpected %q where a member's name should be", c)}
	}
	name, _, err := d.value(true)
	if err != nil {
		return Record{}, false, err
	}
	var key string
	if json.Unmarshal(name.Data, &key) != nil {
		key = ""
	}
	if c, err = d.next(); err == nil && c == ':' {
		d.take(1)
		c, err = d.next()
	}
	if err != nil {
		return Record{}, false, err
	}
	return d.memberValue(key, c)
}

func (d *Document) memberValue(key string, first byte) (Record, bool, error) {
	if first == '[' && contains(d.members.Stream, key) {
		d.take(1)
		d.key, d.nested, d.state = key, true, (*Document).element
		return Record{}, false, nil
	}
	rec, whole, err := d.value(contains(d.members.Keep, key))
	rec.Key = key
	return rec, whole && rec.Data != nil, err
}

func (d *Document) element() (Record, bool, error) {
	c, err := d.next()
	if err != nil {
		return Record{}, false, err
	}
	switch c {
	case ',':
		d.take(1)
		return Record{}, false, nil
	case ']':
		d.take(1)
		d.state = nil
		if d.nested {
			d.state = (*Document).member
		}
		return Record{}, false, nil
	case '}', ':':
		return Record{}, false, &syntaxError{fmt.Sprintf("unexpected %q inside an array", c)}
	}
	rec, whole, err := d.value(true)
	rec.Key = d.key
	return rec, whole, err
}

// value reads one value from the input. Data is nil if the value is not kept or exceeds a limit.
func (d *Document) value(keep bool) (Record, bool, error) {
	rec := Record{Line: d.line, Offset: d.offset}
	d.buffer = d.buffer[:0]
	var v value
	over := false
	for {
		b, err := d.available()
		if err != nil {
			if v.scalar && errors.Is(err, io.EOF) {
				break
			}
			return rec, false, err
		}
		n, done := v.feed(b)
		if over = over || keep && len(d.buffer)+n > d.limit; keep && !over {
			d.buffer = append(d.buffer, b[:n]...)
		}
		d.take(n)
		if done {
			break
		}
	}
	if over {
		d.report(rec.Line, rec.Offset, fmt.Sprintf("value of %d bytes is over the limit of %d", d.offset-rec.Offset, d.limit))
		return rec, false, nil
	}
	if keep && Crowded(d.buffer) {
		d.report(rec.Line, rec.Offset, fmt.Sprintf("value of %d bytes has over %d values", d.offset-rec.Offset, maxValues))
		return rec, false, nil
	}
	if keep {
		rec.Data = d.buffer
	}
	return rec, keep, nil
}

// available returns what can be examined without another read, at least one byte.
func (d *Document) available() ([]byte, error) {
	if d.in.Buffered() == 0 {
		if _, err := d.in.Peek(1); err != nil {
			return nil, err
		}
	}
	return d.in.Peek(d.in.Buffered())
}

// next returns the next byte that is not white space, without consuming it.
func (d *Document) next() (byte, error) {
	for {
		b, err := d.in.Peek(1)
		if err != nil {
			return 0, err
		}
		if !text.IsBlank(b[0]) {
			return b[0], nil
		}
		d.take(1)
	}
}

func (d *Document) take(n int) {
	b, _ := d.in.Peek(n) // n bytes were examined before
	d.line += bytes.Count(b, []byte("\n"))
	d.offset += int64(n)
	_, _ = d.in.Discard(n)
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}
