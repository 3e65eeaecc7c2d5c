package registry

import (
	"slices"

	"github.com/cespare/xxhash/v2"
)

// index finds the numbers of items by key. It stores a hash of each key rather than the
// key, and eight bytes for each key of an item, since such entries make up a large part
// of a session's state.
type index struct {
	heads map[uint64]int32 // hash of a key → its latest hit
	hits  []hit            // in order of items
	gone  int32            // number of hits removed before hits[0]
}

// hit is one key of one item.
type hit struct {
	number  int32 // of the item
	earlier int32 // the previous hit of the same key; none if less than gone
}

// add appends the hits of an item.
func (x *index) add(keys []string, number int) {
	if x.heads == nil {
		x.heads = make(map[uint64]int32, len(keys))
	}
	for _, key := range keys {
		hash := xxhash.Sum64String(key)
		earlier, known := x.heads[hash]
		if !known {
			earlier = -1
		}
		x.heads[hash] = x.gone + int32(len(x.hits))
		x.hits = append(x.hits, hit{number: int32(number), earlier: earlier})
	}
}

// remove removes the hits of the oldest item, which has these keys.
func (x *index) remove(keys []string) {
	for i, key := range keys {
		if hash := xxhash.Sum64String(key); x.heads[hash] == x.gone+int32(i) {
			delete(x.heads, hash)
		}
	}
	x.gone += int32(len(keys))
	x.hits = x.hits[len(keys):]
}

// find returns the numbers of the items with a key, oldest first.
func (x *index) find(key string) (numbers []int) {
	for p := x.head(key); p >= x.gone; p = x.hits[p-x.gone].earlier {
		numbers = append(numbers, int(x.hits[p-x.gone].number))
	}
	slices.Reverse(numbers)
	return numbers
}

// count returns the number of items with a key.
func (x *index) count(key string) (n int) {
	for p := x.head(key); p >= x.gone; p = x.hits[p-x.gone].earlier {
		n++
	}
	return n
}

// head returns the latest hit of a key, -1 if there is none.
func (x *index) head(key string) int32 {
	if p, known := x.heads[xxhash.Sum64String(key)]; known {
		return p
	}
	return -1
}
