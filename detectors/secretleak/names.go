package secretleak

import (
	"strings"
	"unicode"
)

// secretName reports whether a variable, field or setting of this name holds a credential.
func (d *instance) secretName(name string) bool {
	words := split(name)
	if len(words) == 0 || d.config.Names.Not[words[len(words)-1]] || d.config.Names.Not[words[0]] {
		return false
	}
	for i, w := range words {
		if d.config.Names.Words[w] || i > 0 && d.config.Names.Pairs[words[i-1]+" "+w] {
			return true
		}
	}
	// SLACK_TOKEN is an environment variable, token a word of a grammar.
	return len(words) > 1 && name == strings.ToUpper(name) && d.config.VariableEnds[words[len(words)-1]]
}

// split splits a name into words: apiKey, API_KEY and api-key are "api", "key".
func split(name string) []string {
	var words []string
	var word []rune
	var before rune
	end := func() {
		if len(word) > 0 {
			words = append(words, strings.ToLower(string(word)))
			word = word[:0]
		}
	}
	for _, c := range name {
		switch {
		case !unicode.IsLetter(c) && !unicode.IsDigit(c):
			end()
		case unicode.IsUpper(c) && unicode.IsLower(before):
			end()
			word = append(word, c)
		default:
			word = append(word, c)
		}
		before = c
	}
	end()
	return words
}

// secretFile reports whether a file contains credentials.
func (d *instance) secretFile(p string) bool {
	p = strings.Trim(p, `"'`)
	return p != "" && d.config.Files.MatchString(p) && !d.config.Harmless.MatchString(p)
}

// firstFile returns the first of some arguments that names a file of credentials, also
// after "@" as a body, or after "=".
func (d *instance) firstFile(args []string) string {
	for _, a := range args {
		if _, file, ok := strings.Cut(a, "@"); ok && d.secretFile(file) {
			return file
		}
		if !strings.HasPrefix(a, "-") && d.secretFile(a) {
			return a
		}
	}
	return ""
}
