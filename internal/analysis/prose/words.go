package prose

import (
	"strings"

	"github.com/kljensen/snowball/english"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"
)

// maxWord is the longest word in bytes that is a term; longer ones are data.
const maxWord = 40

// Stem is the English stem of a word, lower case: "Caching" → "cach".
func Stem(word string) string { return similarity.Stem(strings.ToLower(word)) }

// Terms are the stems of a text's content words in order, each once: no stop
// words, no numbers; an identifier gives its words (parseUserId → pars, user, id).
func Terms(text string) []string {
	seen := map[string]bool{}
	var out, words []string
	for token := range strings.FieldsFuncSeq(text, notIdentifier) {
		words = similarity.AppendWords(words[:0], token)
		for _, word := range words {
			if !content(word) {
				continue
			}
			if stem := similarity.Stem(word); !seen[stem] {
				seen[stem] = true
				out = append(out, stem)
			}
		}
	}
	return out
}

func content(word string) bool {
	if len(word) < 2 || len(word) > maxWord || word[0] >= '0' && word[0] <= '9' {
		return false
	}
	return !english.IsStopWord(word) && !load().stop[word]
}

func notIdentifier(r rune) bool {
	return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r < 0x80
}
