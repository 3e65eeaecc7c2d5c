package prose

import (
	"strings"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"
	"github.com/kljensen/snowball/english"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/recall"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"
)

// maxWord is the maximum length in bytes of a word that is a term; longer ones are data.
const maxWord = 40

// Stem returns the English stem of a word in lower case: "Caching" → "cach".
func Stem(word string) string { return similarity.Stem(strings.ToLower(word)) }

// Stems returns the set of the stems of words.
func Stems(words []string) map[string]bool {
	out := map[string]bool{}
	for _, w := range words {
		out[Stem(w)] = true
	}
	return out
}

// Terms returns the stems of a text's content words in order, each once, without stop
// words and numbers; an identifier is split into its words (parseUserId → pars, user,
// id).
func Terms(text string) []string { return FirstTerms(text, len(text)) }

// FirstTerms returns the first n of [Terms].
func FirstTerms(text string, n int) []string {
	out := distinct{}
	var seen [64]string // tokens by a weak hash: most texts repeat theirs
	for at := 0; at < len(text) && len(out.list) < n; at++ {
		if !identifies[text[at]] {
			continue
		}
		from, hash := at, uint32(text[at])
		for at++; at < len(text) && identifies[text[at]]; at++ {
			hash = hash*31 + uint32(text[at])
		}
		token := text[from:at]
		if len(token) == 1 && token[0] < utf8.RuneSelf {
			continue // too short for a word
		}
		place := &seen[(hash^hash>>8)%uint32(len(seen))]
		if *place == token {
			continue
		}
		*place = token
		for _, stem := range stemsOf(token) {
			out.add(stem)
		}
	}
	return out.list[:min(n, len(out.list))]
}

func content(word string) bool {
	if len(word) < 2 || len(word) > maxWord || word[0] >= '0' && word[0] <= '9' {
		return false
	}
	return !english.IsStopWord(word) && !load().stop[word]
}

// identifies marks the bytes of identifiers and of letters beyond ASCII.
var identifies = func() (table [256]bool) {
	for c := range table {
		table[c] = c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= utf8.RuneSelf
	}
	return table
}()

// maxToken is the maximum length of a cached token.
const maxToken = 64

// known caches the stems of tokens.
var known = recall.New[[]stem](8192, maxToken)

// stem is a stem with its hash.
type stem struct {
	text string
	hash uint64
}

// stemsOf returns the stems of a token's content words, which must not be changed.
func stemsOf(text string) []stem {
	return known.Of(text, func(text string) (stems []stem) {
		for _, word := range similarity.AppendWords(nil, text) {
			if content(word) {
				s := similarity.Stem(word)
				stems = append(stems, stem{s, xxhash.Sum64String(s)})
			}
		}
		return stems
	})
}

// distinct is a list of stems, each once.
type distinct struct {
	list  []string
	first [1024]uint16 // by hash: the index of a stem, from 1
	more  map[string]bool
}

// crowded is the number of stems up to which the table is fast.
const crowded = 512

func (d *distinct) add(s stem) {
	if d.more != nil {
		if !d.more[s.text] {
			d.more[s.text] = true
			d.list = append(d.list, s.text)
		}
		return
	}
	at := s.hash % uint64(len(d.first))
	for ; d.first[at] > 0; at = (at + 1) % uint64(len(d.first)) {
		if d.list[d.first[at]-1] == s.text {
			return
		}
	}
	d.list = append(d.list, s.text)
	d.first[at] = uint16(len(d.list))
	if len(d.list) == crowded {
		d.more = make(map[string]bool, 2*crowded)
		for _, known := range d.list {
			d.more[known] = true
		}
	}
}
