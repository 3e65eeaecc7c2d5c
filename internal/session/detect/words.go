package detect

import (
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"
)

// words splits a text into lower-case stems, including stop words. Identifiers are split,
// so that "AuthService" and "auth service" are equal.
func words(text string) []string {
	out := similarity.Words(text)
	for i, w := range out {
		out[i] = prose.Stem(w)
	}
	return out
}

// Stems returns the stems of a list of words, with identifiers split, for checking
// whether the terms of a text are among them.
func Stems(list []string) map[string]bool {
	out := map[string]bool{}
	for _, w := range list {
		for _, stem := range words(w) {
			out[stem] = true
		}
	}
	return out
}

func stemAll(phrases []string) [][]string {
	out := make([][]string, 0, len(phrases))
	for _, p := range phrases {
		out = append(out, words(p))
	}
	return out
}

// indexOf returns the first index at or after from at which said contains phrase,
// otherwise -1.
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

// sentences returns the sentences of a message.
func sentences(text string) []string {
	var out []string
	for _, s := range prose.Sentences(text) {
		out = append(out, s.Text)
	}
	return out
}
