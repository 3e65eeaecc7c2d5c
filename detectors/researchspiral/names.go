package researchspiral

import "strings"

// Minimum lengths in bytes of names that distinguish things; numbers are ids of commits,
// runs and issues.
const (
	minName   = 3
	minNumber = 4
)

// eachName yields the names of code in a text. sure reports whether a name can only be a
// reference: a file, a qualified name or an identifier of several words rather than a
// plain word.
func eachName(text string, yield func(name string, sure bool)) {
	for at := 0; at < len(text); at++ {
		from := at
		for at < len(text) && nameByte[text[at]] {
			at++
		}
		if at-from < minName {
			continue
		}
		token := strings.Trim(text[from:at], "./-")
		folder := strings.LastIndexByte(token, '/')
		rest := token[folder+1:]
		for first := true; rest != ""; first = false {
			part, more, dotted := strings.Cut(rest, ".")
			rest = more
			number := part != "" && part[0] >= '0' && part[0] <= '9'
			switch {
			case number && len(part) >= minNumber:
				yield(part, true)
			case !number && len(part) >= minName:
				yield(part, first && (folder >= 0 || dotted) || identifier(part))
			}
		}
	}
}

// nameByte marks the bytes of names and paths.
var nameByte = func() (table [256]bool) {
	for i := range table {
		c := byte(i)
		table[i] = c == '_' || c == '.' || c == '/' || c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
	}
	return table
}()

// identifier reports whether a word has the form of a name of several words.
func identifier(word string) bool {
	for i := 1; i < len(word); i++ {
		if word[i] == '_' || word[i] >= 'A' && word[i] <= 'Z' && word[i-1] >= 'a' && word[i-1] <= 'z' {
			return true
		}
	}
	return false
}
