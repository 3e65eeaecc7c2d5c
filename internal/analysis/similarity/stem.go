package similarity

import (
	"github.com/kljensen/snowball/english"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/recall"
)

// maxStemmed is the maximum length in bytes of a word that is stemmed; longer ones are
// data.
const maxStemmed = 40

// stems caches stems, since stemming takes a microsecond.
var stems = recall.New[string](16384, maxStemmed)

// Stem returns the English stem of a lower-case word: "caching" → "cach".
func Stem(word string) string {
	if len(word) > maxStemmed {
		return word
	}
	return stems.Of(word, stemOf)
}

func stemOf(word string) string { return english.Stem(word, false) }
