package registry

import (
	"slices"

	"github.com/cespare/xxhash/v2"
)

// collection is a bounded list that evicts its oldest item first and counts evictions
// (SW-10). Finding items by key takes time that depends only on the number of hits.
type collection[T any] struct {
	limit   int
	keys    func(*T) []string // index keys of an item, each once; may be nil
	weigh   func(*T) int      // size of an item in bytes
	ring    []T
	start   int // index of the oldest item in ring
	first   int // number of the oldest item, counted from the session's start
	evicted int
	bytes   int
	index   index
}

func newCollection[T any](limit int, weigh func(*T) int, keys func(*T) []string) collection[T] {
	return collection[T]{limit: limit, keys: keys, weigh: weigh}
}

// add appends an item. A collection of capacity zero drops it and counts it.
func (c *collection[T]) add(item T) {
	if c.limit <= 0 {
		c.evicted++
		return
	}
	number := c.first + len(c.ring)
	if len(c.ring) < c.limit {
		if len(c.ring) == cap(c.ring) { // grow by a quarter rather than double: thousands of sessions are in memory
			c.ring = slices.Grow(c.ring, min(1+len(c.ring)/4, c.limit-len(c.ring)))
		}
		c.ring = append(c.ring, item)
	} else {
		c.unindex(&c.ring[c.start])
		c.ring[c.start] = item
		c.start = (c.start + 1) % len(c.ring)
		c.first++
		c.evicted++
	}
	c.bytes += c.weigh(&item)
	if c.keys != nil {
		c.index.add(c.keys(&item), number)
	}
}

// next returns the item that the next add will evict, if any.
func (c *collection[T]) next() (item T, evicted bool) {
	if c.limit <= 0 || len(c.ring) < c.limit {
		return item, false
	}
	return c.ring[c.start], true
}

// unindex removes the oldest item from the index.
func (c *collection[T]) unindex(item *T) {
	c.bytes -= c.weigh(item)
	if c.keys != nil {
		c.index.remove(c.keys(item))
	}
}

// at returns the item with a number that is still held.
func (c *collection[T]) at(number int) *T {
	return &c.ring[(c.start+number-c.first)%len(c.ring)]
}

// find returns the numbers of the items with a key, oldest first.
func (c *collection[T]) find(key string) []int { return c.index.find(key) }

// count returns the number of items with a key.
func (c *collection[T]) count(key string) int { return c.index.count(key) }

// change edits an item in place; its keys must stay the same.
func (c *collection[T]) change(number int, edit func(*T)) {
	item := c.at(number)
	c.bytes -= c.weigh(item)
	edit(item)
	c.bytes += c.weigh(item)
}

// with returns copies of the items with a key, oldest first.
func (c *collection[T]) with(key string) []T {
	var out []T
	for _, n := range c.index.find(key) {
		out = append(out, *c.at(n))
	}
	return out
}

// all returns copies of the items, oldest first.
func (c *collection[T]) all() []T {
	if len(c.ring) == 0 {
		return nil
	}
	out := make([]T, 0, len(c.ring))
	out = append(out, c.ring[c.start:]...)
	return append(out, c.ring[:c.start]...)
}

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
