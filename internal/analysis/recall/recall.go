// Package recall caches the results of pure functions on texts, since agents repeat the
// same words, paths and commands. Caching never changes a result, and takes bounded
// memory.
package recall

import (
	"strings"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"
)

// Table caches values by text. Each text has one slot and replaces the previous value in
// it. It is safe for concurrent use; values must not be changed.
type Table[V any] struct {
	places  []atomic.Pointer[entry[V]]
	longest int
}

type entry[V any] struct {
	text  string
	value V
}

// New returns a table with a number of slots for texts of at most longest bytes.
func New[V any](places, longest int) *Table[V] {
	return &Table[V]{make([]atomic.Pointer[entry[V]], places), longest}
}

// Of returns the cached value for text, computing it if needed. It panics if made does.
func (t *Table[V]) Of(text string, made func(string) V) V {
	if len(text) > t.longest {
		return made(text)
	}
	place := &t.places[xxhash.Sum64String(text)%uint64(len(t.places))]
	if known := place.Load(); known != nil && known.text == text {
		return known.value
	}
	text = strings.Clone(text) // a substring would keep the whole text in memory
	value := made(text)
	place.Store(&entry[V]{text, value})
	return value
}
