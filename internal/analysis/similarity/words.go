package similarity

import (
	"strings"
	"unicode"
)

// Words splits an identifier into lower-case words: getUserID → get, user, id;
// HTTPServer2 → http, server2; load_all-URLs → load, all, urls. Digits stay
// with the word before them; a version mark is a word of its own (FooV2 → foo, v2).
func Words(identifier string) []string {
	var out []string
	for _, part := range strings.FieldsFunc(identifier, notWordRune) {
		out = appendHumps(out, []rune(part))
	}
	return out
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

// startsHump says whether a new word begins at i: a capital after a small
// letter or digit, or the last capital of an acronym before a small letter,
// except a plural's s ("URLs").
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
