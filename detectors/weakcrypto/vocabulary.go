package weakcrypto

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// family is a group of names with one meaning, see rules/weakcrypto.yaml.
type family struct {
	ID string `yaml:"id"`
	// Phrases are consecutive words of one identifier: "api key" is apiKey, API_KEY and
	// api-key, but not monkey.
	Phrases []string `yaml:"phrases"`
	// Without are words of the same identifier that give it another meaning: primary_key,
	// token_count.
	Without []string `yaml:"without"`
	// With are words of which the statement or the function's name must contain at least
	// one: a signature counts only together with a key, a request …
	With []string `yaml:"with"`
	// Kinds are the weaknesses for which the family counts; all if empty.
	Kinds []string `yaml:"kinds"`
	// Scopes are the places where it counts; all if empty.
	Scopes []string `yaml:"scopes"`
}

// vocabulary finds families in the identifiers of a text.
type vocabulary struct {
	families []family
	phrases  map[string][]phrase // first word → phrases
}

type phrase struct {
	family int
	rest   []string
}

func newVocabulary(families []family) *vocabulary {
	v := &vocabulary{families: families, phrases: map[string][]phrase{}}
	for i, f := range families {
		for _, p := range f.Phrases {
			words := strings.Fields(p)
			v.phrases[words[0]] = append(v.phrases[words[0]], phrase{i, words[1:]})
		}
	}
	return v
}

// find returns the first identifier of text that names a family accepted by ok, and the
// family; "" for none. Identifiers are split into words.
func (v *vocabulary) find(s string, ok func(*family) bool) (string, *family) {
	var words []string
	for at := 0; at < len(s); {
		if !text.IsName(s[at]) {
			at++
			continue
		}
		end := at
		for end < len(s) && (text.IsName(s[end]) || s[end] == '-' && end+1 < len(s) && text.IsName(s[end+1])) {
			end++
		}
		words = similarity.AppendWords(words[:0], s[at:end])
		if f := v.named(words, ok); f != nil {
			return s[at:end], f
		}
		at = end
	}
	return "", nil
}

func (v *vocabulary) named(words []string, ok func(*family) bool) *family {
	for i, w := range words {
		for _, p := range v.phrases[w] {
			f := &v.families[p.family]
			if startsWith(words[i+1:], p.rest) && ok(f) && !anyIn(words, f.Without) {
				return f
			}
		}
	}
	return nil
}

// holds reports whether the words are a complete phrase of one of the families.
func (v *vocabulary) holds(words []string) bool {
	return slices.ContainsFunc(v.phrases[words[0]], func(p phrase) bool { return slices.Equal(p.rest, words[1:]) })
}

func startsWith(words, rest []string) bool {
	return len(words) >= len(rest) && slices.Equal(words[:len(rest)], rest)
}

func anyIn(words, list []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(list, w) })
}

// wordsOf returns the words of all identifiers of a text.
func wordsOf(s string) []string {
	var out []string
	for _, name := range strings.FieldsFunc(s, func(r rune) bool { return r < 0x80 && !text.IsName(byte(r)) }) {
		out = similarity.AppendWords(out, name)
	}
	return out
}
