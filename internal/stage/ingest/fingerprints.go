package ingest

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/packed"
)

// fingerprints is a set of 64-bit hashes. Ids of agents and orchestrators are
// mostly random, so they have no runs to compress: the set holds each hash in 8
// bytes; where there are thousands, package packed needs about 6.7. Among a million entries, the
// probability that a new hash is mistaken for one of them is below 1e-12.
//
// The runs are ascending, and each is at least twice as long as the next, so an
// insertion costs a few copies and a lookup a few binary searches.
type fingerprints struct{ runs [][]uint64 }

// shortRun is the length up to which hashes are inserted into the last run rather than
// merged.
const shortRun = 64

// add inserts a hash that is not in the set.
func (f *fingerprints) add(hash uint64) {
	last := len(f.runs) - 1
	if last < 0 || len(f.runs[last]) >= shortRun {
		f.runs = append(f.runs, []uint64{hash})
		return
	}
	at, _ := slices.BinarySearch(f.runs[last], hash)
	f.runs[last] = slices.Insert(f.runs[last], at, hash)
	if len(f.runs[last]) < shortRun {
		return
	}
	for ; last > 0 && len(f.runs[last-1]) < 2*len(f.runs[last]); last-- {
		f.runs[last-1] = merge(f.runs[last-1], f.runs[last])
		f.runs = f.runs[:last]
	}
}

func (f *fingerprints) has(hash uint64) bool {
	for _, run := range f.runs {
		if _, found := slices.BinarySearch(run, hash); found {
			return true
		}
	}
	return false
}

// between reports whether the set contains a hash from low to high.
func (f *fingerprints) between(low, high uint64) bool {
	for _, run := range f.runs {
		if at, _ := slices.BinarySearch(run, low); at < len(run) && run[at] <= high {
			return true
		}
	}
	return false
}

func (f *fingerprints) len() (n int) {
	for _, run := range f.runs {
		n += len(run)
	}
	return n
}

// merge returns the hashes of two ascending runs as one ascending run.
func merge(a, b []uint64) []uint64 {
	out := make([]uint64, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if a[0] < b[0] {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// IsZero makes JSON omit an empty set.
func (f fingerprints) IsZero() bool { return len(f.runs) == 0 }

// stored is the form of a set in snapshots, independent of the order of insertion.
type stored struct {
	Packed []byte `json:"p"` // see package packed
}

// MarshalJSON writes the stored form.
func (f fingerprints) MarshalJSON() ([]byte, error) {
	var all []uint64
	for _, run := range f.runs {
		all = merge(all, run)
	}
	var w packed.Writer
	w.Ascending(all)
	return json.Marshal(stored{w.Bytes()})
}

// UnmarshalJSON reads the stored form, and that of versions before 4: words in any order, including duplicates.
func (f *fingerprints) UnmarshalJSON(b []byte) error {
	words, err := readSet(b)
	if err != nil {
		return fmt.Errorf("read hashes: %w", err)
	}
	slices.Sort(words)
	*f = fingerprints{}
	if words = slices.Compact(words); len(words) > 0 {
		f.runs = [][]uint64{words}
	}
	return nil
}

func readSet(b []byte) ([]uint64, error) {
	if len(b) == 0 || b[0] != '{' {
		return readWords(b)
	}
	var from stored
	if err := json.Unmarshal(b, &from); err != nil {
		return nil, err
	}
	return packed.NewReader(from.Packed).Ascending()
}

// readWords reads base64 of little-endian words.
func readWords(b []byte) ([]uint64, error) {
	var data []byte
	if err := json.Unmarshal(b, &data); err != nil {
		return nil, fmt.Errorf("read hashes: %w", err)
	}
	words := make([]uint64, 0, len(data)/8)
	for ; len(data) >= 8; data = data[8:] {
		words = append(words, binary.LittleEndian.Uint64(data))
	}
	return words, nil
}
