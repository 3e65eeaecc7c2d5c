// Package recall remembers what pure functions make of texts, since agents say the same words, paths
// and commands again and again. What is remembered never changes a result, and takes bounded memory.
package recall

import (
	"strings"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"
)

// Table remembers values by text. A text has one place and drops what was there. It is safe for
// concurrent use; nobody changes a value.
type Table[V any] struct {
	places  []atomic.Pointer[entry[V]]
	longest int
}

type entry[V any] struct {
	text  string
	value V
}

// New makes a table of so many places for texts of at most longest bytes.
func New[V any](places, longest int) *Table[V] {
	return &Table[V]{make([]atomic.Pointer[entry[V]], places), longest}
}

// Of returns what is made of text, which is made where it is not remembered. It panics where made does.
func (t *Table[V]) Of(text string, made func(string) V) V {
	if len(text) > t.longest {
		return made(text)
	}
	place := &t.places[xxhash.Sum64String(text)%uint64(len(t.places))]
	if known := place.Load(); known != nil && known.text == text {
		return known.value
	}
	text = strings.Clone(text) // a part would keep the whole
	value := made(text)
	place.Store(&entry[V]{text, value})
	return value
}
