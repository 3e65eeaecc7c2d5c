package record

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
)

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
