// Package record cuts a transcript into records without holding it in memory:
// the lines of a JSONL file, or the elements of the arrays inside one JSON
// document. Damage is reported with its place and skipped, never fatal (EV-3).
package record

// Record is one piece of a transcript. Data is valid until the next call of Next.
type Record struct {
	// Key names where in a document the record stood: the member's name for a
	// kept member or an element of a streamed array, "" for a line and for an
	// element of a top-level array.
	Key    string
	Data   []byte
	Line   int   // line the record begins on, from 1
	Offset int64 // byte it begins at, from 0
}

// Report reports a record that was skipped.
type Report func(line int, offset int64, reason string)

// Reader yields records in order, then io.EOF; other errors are the
// underlying reader's.
type Reader interface {
	Next() (Record, error)
}
