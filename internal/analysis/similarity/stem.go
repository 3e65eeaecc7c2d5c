package similarity

import (
	"sync/atomic"

	"github.com/cespare/xxhash/v2"
	"github.com/kljensen/snowball/english"
)

// maxStemmed is the longest word in bytes that is stemmed; longer ones are data.
const maxStemmed = 40

// stems remembers stems, since stemming takes a microsecond and agents say the
// same words again and again. A word has one place and drops what was there.
var stems [16384]atomic.Pointer[stemmed]

type stemmed struct{ word, stem string }

// Stem is the English stem of a lower-case word: "caching" → "cach".
func Stem(word string) string {
	if len(word) > maxStemmed {
		return word
	}
	place := &stems[xxhash.Sum64String(word)%uint64(len(stems))]
	if known := place.Load(); known != nil && known.word == word {
		return known.stem
	}
	known := &stemmed{word: string([]byte(word)), stem: english.Stem(word, false)}
	place.Store(known)
	return known.stem
}
