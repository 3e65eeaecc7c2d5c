package similarity

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/recall"
)

// Words splits an identifier into lower-case words: getUserID → get, user, id; HTTPServer2 → http,
// server2; load_all-URLs → load, all, urls. Digits stay with the word before them; a version mark
// is a separate word (FooV2 → foo, v2).
func Words(identifier string) []string {
	return AppendWords(nil, identifier)
}

// AppendWords adds the words of an identifier, as [Words] finds them, to out.
func AppendWords(out []string, identifier string) []string {
	for i := range len(identifier) {
		if identifier[i] >= utf8.RuneSelf {
			for _, part := range strings.FieldsFunc(identifier, notWordRune) {
				out = appendHumps(out, []rune(part))
			}
			return out
		}
	}
	return appendPlain(out, identifier)
}

// appendPlain is AppendWords of ASCII text, which needs no copy.
func appendPlain(out []string, text string) []string {
	start := 0
	for i := 0; i <= len(text); i++ {
		end := i == len(text) || !isPlainWord(text[i])
		if i > start && (end || plainHump(text, i)) {
			out = append(out, strings.ToLower(text[start:i]))
			start = i
		}
		if end {
			start = i + 1
		}
	}
	return out
}

func isPlainWord(c byte) bool { return c-'0' <= 9 || c|0x20-'a' <= 25 }

func isUpper(c byte) bool { return c-'A' <= 25 }

// plainHump is startsHump of ASCII text.
func plainHump(text string, i int) bool {
	if !isUpper(text[i]) {
		return false
	}
	if !isUpper(text[i-1]) {
		return true
	}
	if i+1 >= len(text) || text[i+1]-'a' > 25 {
		return false
	}
	plural := text[i+1] == 's' && (i+2 == len(text) || !isPlainWord(text[i+2]) || isUpper(text[i+2]))
	return !plural
}

func notWordRune(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// appendHumps splits one part at its capitals.
func appendHumps(out []string, part []rune) []string {
	start := 0
	for i := 1; i < len(part); i++ {
		if startsHump(part, i) {
			out = append(out, strings.ToLower(string(part[start:i])))
			start = i
		}
	}
	if start < len(part) {
		out = append(out, strings.ToLower(string(part[start:])))
	}
	return out
}

// startsHump reports whether a new word begins at i: a capital after a lower-case letter
// or digit, or the last capital of an acronym before a lower-case letter, except a
// plural's s ("URLs").
func startsHump(part []rune, i int) bool {
	if !unicode.IsUpper(part[i]) {
		return false
	}
	if !unicode.IsUpper(part[i-1]) {
		return true
	}
	if i+1 >= len(part) || !unicode.IsLower(part[i+1]) {
		return false
	}
	plural := part[i+1] == 's' && (i+2 == len(part) || unicode.IsUpper(part[i+2]))
	return !plural
}

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
