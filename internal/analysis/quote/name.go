package quote

import (
	"strings"
	"unicode"
)

// maxParts is the maximum number of words in a name; more make a sentence.
const maxParts = 5

// isName reports whether a line is a name rather than words: it has no blanks, only
// characters of names, and few words.
func isName(text string) bool {
	for _, r := range text {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-./:@+#$~%()*,&=;?[]‹›…", r) {
			return false
		}
	}
	return text != "" && parts(text) <= maxParts
}

// parts counts the words of a name: "fetch_user", "fetchUser" and "HTTPServer" have two.
func parts(name string) int {
	n := 0
	var before rune
	for i, r := range name {
		begins := unicode.IsLetter(r) && (!unicode.IsLetter(before) || unicode.IsUpper(r) && (unicode.IsLower(before) || followsLower(name[i:])))
		if begins {
			n++
		}
		before = r
	}
	return n
}

// followsLower reports whether the second character is a lower-case letter.
func followsLower(rest string) bool {
	for i, r := range rest {
		if i > 0 {
			return unicode.IsLower(r)
		}
	}
	return false
}
