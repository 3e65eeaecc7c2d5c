package researchspiral

import "strings"

// The shortest names in bytes that tell one thing from another; numbers are ids
// of commits, runs and issues.
const (
	minName   = 3
	minNumber = 4
)

// eachName gives the names of code in a text. sure says that a name can only be
// a reference: a file, a qualified name or an identifier of several words, not a
// plain word.
func eachName(text string, yield func(name string, sure bool)) {
	for token := range strings.FieldsFuncSeq(text, notName) {
		token = strings.Trim(token, "./-")
		folder := strings.LastIndexByte(token, '/')
		parts := strings.Split(token[folder+1:], ".")
		for i, part := range parts {
			number := part != "" && part[0] >= '0' && part[0] <= '9'
			switch {
			case number && len(part) >= minNumber:
				yield(part, true)
			case !number && len(part) >= minName:
				yield(part, identifier(part) || i == 0 && (folder >= 0 || len(parts) > 1))
			}
		}
	}
}

func notName(r rune) bool {
	return r != '_' && r != '.' && r != '/' && r != '-' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
}

// identifier reports whether a word has the form of a name of several words.
func identifier(word string) bool {
	for i := 1; i < len(word); i++ {
		if word[i] == '_' || word[i] >= 'A' && word[i] <= 'Z' && word[i-1] >= 'a' && word[i-1] <= 'z' {
			return true
		}
	}
	return false
}
