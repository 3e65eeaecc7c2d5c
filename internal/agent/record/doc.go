// Package record splits a transcript into records without holding it in memory: the lines of a JSONL file,
// or the elements of the arrays inside one JSON document. Damage is reported with its place and skipped,
// never fatal (EV-3).
package record

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
