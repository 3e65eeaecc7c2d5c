package weakcrypto

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"
)

// picked reports whether a random number only selects one of the existing tokens, keys or
// the like: random.choice(api_keys) does not generate one, and neither does
// pickAuthProvider, which selects one of providers.
func (d *instance) picked(statement, function string) bool {
	for _, pattern := range d.Picks {
		for _, found := range pattern.FindAllStringSubmatch(statement, -1) {
			for _, name := range strings.FieldsFunc(found[1], func(r rune) bool { return strings.ContainsRune(".$@>-", r) }) {
				if d.collects(name) || says(function, name) {
					return true
				}
			}
		}
	}
	return false
}

// collects reports whether a name is that of a collection of things that make an auth
// context: tokens, API_KEYS, sessionList, but not token_chars.
func (d *instance) collects(name string) bool {
	words := similarity.AppendWords(nil, name)
	last := len(words) - 1
	switch {
	case last > 0 && slices.Contains(d.Collections, words[last]):
		words = words[:last]
		last--
		words[last] = strings.TrimSuffix(words[last], "s")
	case last >= 0 && strings.HasSuffix(words[last], "s"):
		words[last] = strings.TrimSuffix(words[last], "s")
	default:
		return false
	}
	for from := range words {
		if d.auth.holds(words[from:]) {
			return true
		}
	}
	return false
}

// says reports whether a function's name says that it returns an element of a collection:
// pickAuthProvider of providers.
func says(function, collection string) bool {
	words := similarity.AppendWords(nil, collection)
	if len(words) == 0 || !strings.HasSuffix(words[len(words)-1], "s") {
		return false
	}
	return slices.Contains(similarity.AppendWords(nil, function), strings.TrimSuffix(words[len(words)-1], "s"))
}
