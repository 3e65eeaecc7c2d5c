package quote

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
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

// maxFolders is the maximum number of folders of a path that is shown in full.
const maxFolders = 8

// Path returns the path of a file, shortened in the middle to [Limit] characters if
// needed, and between quotation marks if a part of it could be read as words. A home
// folder is written as "~".
func Path(path string) string {
	plain := strings.ReplaceAll(line(path), `\`, "/")
	plain = shortened(home(withoutMarkup(plain)))
	for _, part := range strings.Split(plain, "/") {
		if part != "" && !isName(part) {
			return `"` + plain + `"`
		}
	}
	if plain == "" || strings.Count(plain, "/") > maxFolders {
		return `"` + plain + `"`
	}
	return plain
}

// Place returns a path with a line number, if it is above 0: "a.go:12".
func Place(path string, line int) string {
	shown := Path(path)
	if line <= 0 {
		return shown
	}
	return shown + ":" + strconv.Itoa(line)
}

// homes are the folders in which a person's, or in a container an agent's, files are.
var homes = pattern.Must(`^/(?:(?:home|Users)/[^/]*|root)/`)

// home replaces the home folder at the beginning of a path.
func home(path string) string { return homes.ReplaceAllString(path, "~/") }

// shortened leaves out folders in the middle, the first ones first, then the beginning of
// the name.
func shortened(path string) string {
	parts := strings.Split(path, "/")
	if utf8.RuneCountInString(path) <= Limit && len(parts) <= maxFolders+1 {
		return path
	}
	first, rest := parts[0], parts[1:]
	if first == "" && len(rest) > 0 {
		first, rest = "/"+rest[0], rest[1:]
	}
	for len(rest) > 0 {
		short := first + "/" + ellipsis + "/" + strings.Join(rest, "/")
		if utf8.RuneCountInString(short) <= Limit && len(rest) <= maxFolders-2 {
			return short
		}
		rest = rest[1:]
	}
	return middle(parts[len(parts)-1])
}

// middle leaves out the middle of a name.
func middle(name string) string {
	runes := []rune(name)
	if len(runes) <= Limit {
		return name
	}
	const end = 20
	return string(runes[:Limit-1-end]) + ellipsis + string(runes[len(runes)-end:])
}
