package detect

import (
	"slices"
	"strings"
	"unicode"

	"github.com/kljensen/snowball/english"
)

// words splits text into lower-case stems: identifiers are taken apart at case
// changes and signs, so that "AuthService" and "auth service" agree.
func words(text string) []string {
	var out []string
	var word []rune
	flush := func() {
		if len(word) > 0 {
			out = append(out, stem(string(word)))
			word = word[:0]
		}
	}
	previous := ' '
	for _, r := range strings.ReplaceAll(text, "’", "'") {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'':
			flush()
		case unicode.IsUpper(r) && unicode.IsLower(previous):
			flush()
			word = append(word, r)
		default:
			word = append(word, r)
		}
		previous = r
	}
	flush()
	return out
}

func stem(word string) string {
	return english.Stem(strings.Trim(strings.ToLower(word), "'"), true)
}

func stemAll(phrases []string) [][]string {
	out := make([][]string, 0, len(phrases))
	for _, p := range phrases {
		out = append(out, words(p))
	}
	return out
}

// sentences splits at sentence ends and line breaks; a dot inside a word (a
// file name) ends none.
func sentences(text string) []string {
	return strings.FieldsFunc(strings.NewReplacer(". ", "\n", "! ", "\n", "? ", "\n", "; ", "\n").Replace(text),
		func(r rune) bool { return r == '\n' })
}

// indexOf is the first place at or after from where phrase stands in said, else -1.
func indexOf(said, phrase []string, from int) int {
	for i := from; len(phrase) > 0 && i+len(phrase) <= len(said); i++ {
		if slices.Equal(said[i:i+len(phrase)], phrase) {
			return i
		}
	}
	return -1
}

func containsAny(said []string, phrases [][]string) bool {
	return slices.ContainsFunc(phrases, func(p []string) bool { return indexOf(said, p, 0) >= 0 })
}
