// Package packed writes ascending lists of numbers that look random, such as hashes, in fewer bytes than their
// width: between two neighbours of n numbers lies a gap that is log2(n) bits shorter than they are.
package packed

import (
	"errors"
	"math/bits"
)

// A list begins with its length and the number of low bits of a gap that are written as they are. A length from
// manyFrom follows in a longer field.
const (
	countBits = 5
	manyFrom  = 1<<countBits - 1
	longBits  = 32
	lowBits   = 6
)

// ErrDamaged is returned for bytes that no Writer wrote.
var ErrDamaged = errors.New("damaged snapshot: a list of hashes")

// Writer packs lists one after another. The zero value is ready to use.
type Writer struct {
	bytes []byte
	free  int // bits of the last byte that are not used yet
}

// Bytes returns what was written.
func (w *Writer) Bytes() []byte { return w.bytes }

// Ascending writes numbers, which must be in ascending order, each once: the Rice code of the gaps between them.
func (w *Writer) Ascending(numbers []uint64) {
	if len(numbers) < manyFrom {
		w.put(uint64(len(numbers)), countBits)
	} else {
		w.put(manyFrom, countBits)
		w.put(uint64(len(numbers)), longBits)
	}
	if len(numbers) == 0 {
		return
	}
	low := lowOf(numbers)
	w.put(uint64(low), lowBits)
	next := uint64(0)
	for _, n := range numbers {
		gap := n - next
		for range gap >> low {
			w.put(1, 1)
		}
		w.put(0, 1)
		w.put(gap, low)
		next = n + 1
	}
}

// lowOf returns how many low bits leave about one of an average gap.
func lowOf(numbers []uint64) int {
	mean := (numbers[len(numbers)-1] - uint64(len(numbers)-1)) / uint64(len(numbers))
	return max(bits.Len64(mean)-1, 0)
}

// put writes the low n bits of value, the lowest first.
func (w *Writer) put(value uint64, n int) {
	for n > 0 {
		if w.free == 0 {
			w.bytes, w.free = append(w.bytes, 0), 8
		}
		some := min(n, w.free)
		w.bytes[len(w.bytes)-1] |= byte(value&(1<<some-1)) << (8 - w.free)
		value, n, w.free = value>>some, n-some, w.free-some
	}
}

// Reader reads what a Writer wrote.
type Reader struct {
	bytes []byte
	at    int // in bits
	lost  bool
}

// NewReader returns a reader of bytes.
func NewReader(bytes []byte) *Reader { return &Reader{bytes: bytes} }

// Ascending returns the next list, nil for an empty one.
func (r *Reader) Ascending() ([]uint64, error) {
	count := r.get(countBits)
	if count == manyFrom {
		count = r.get(longBits)
	}
	if r.lost || count > uint64(8*len(r.bytes)) { // each takes a bit at least
		return nil, ErrDamaged
	}
	if count == 0 {
		return nil, nil
	}
	low := int(r.get(lowBits))
	numbers := make([]uint64, 0, count)
	next := uint64(0)
	for range count {
		high := uint64(0)
		for r.get(1) == 1 {
			high++
		}
		n := next + (high<<low | r.get(low))
		if r.lost || n < next {
			return nil, ErrDamaged
		}
		numbers, next = append(numbers, n), n+1
	}
	return numbers, nil
}

func (r *Reader) get(n int) (value uint64) {
	if r.at+n > 8*len(r.bytes) {
		r.lost = true
		return 0
	}
	for got := 0; got < n; {
		some := min(n-got, 8-r.at%8)
		part := uint64(r.bytes[r.at/8]>>(r.at%8)) & (1<<some - 1)
		value |= part << got
		got, r.at = got+some, r.at+some
	}
	return value
}
