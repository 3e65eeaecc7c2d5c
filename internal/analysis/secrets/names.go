package secrets

import (
	"slices"
	"strings"
	"unicode"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// nameRules decide what a name says about its value.
type nameRules struct {
	terms               map[string]Kind
	longest             int // bytes of the longest term
	whole               int // terms up to this length must be whole words
	after, before, weak map[string]bool
	never, mocks        map[string]bool
}

func newNameRules(c Config) nameRules {
	n := nameRules{terms: map[string]Kind{}, whole: c.WholeWordLength}
	for _, t := range c.Terms {
		n.terms[t.ID] = t.Kind
		n.longest = max(n.longest, len(t.ID))
	}
	n.after, n.before, n.weak, n.never = setOf(c.NotAfter), setOf(c.NotBefore), setOf(c.WeakTerms), setOf(c.Never)
	n.mocks = setOf(c.MockNames)
	return n
}

func setOf(words []string) map[string]bool {
	set := make(map[string]bool, len(words))
	for _, w := range words {
		set[strings.ToLower(w)] = true
	}
	return set
}

// strength is how credential-like a name is.
type strength int

const (
	nameNone   strength = iota
	nameWeak            // context only
	nameStrong          // names a credential
)

// judge reads a name such as "stripeApiKey" or "DB_PASSWORD". A marker in its place is the name of nothing: its rule
// would speak of a credential that the text before redaction did not.
func (n nameRules) judge(name string) (strength, Kind) {
	if strings.Contains(name, MarkerClose) {
		return nameNone, ""
	}
	words := splitName(name)
	weak := false
	for _, w := range words {
		if n.never[w] {
			return nameNone, ""
		}
		weak = weak || n.weak[w]
	}
	best, kind := nameNone, Kind("")
	for from := range words {
		for to := from + 1; to <= len(words) && to <= from+3; to++ {
			k, ok := n.term(strings.Join(words[from:to], ""), to == from+1)
			if !ok {
				continue
			}
			weak = true
			if n.disqualified(words[:from], words[to:]) {
				continue
			}
			if best != nameStrong || len(k) > len(kind) { // "password" is the longest word of the three kinds
				best, kind = nameStrong, k
			}
		}
	}
	if best == nameNone && weak {
		best = nameWeak
	}
	return best, kind
}

// mock reports whether a name says that its value is invented: testPassword, EXAMPLE_TOKEN.
func (n nameRules) mock(name string) bool {
	return slices.ContainsFunc(splitName(name), func(word string) bool { return n.mocks[word] })
}

// term finds a term in one word or in up to three joined ones. In a single word
// a long term may be a part: "mypassword", "dbsecret".
func (n nameRules) term(joined string, single bool) (Kind, bool) {
	if k, ok := n.terms[joined]; ok {
		return k, true
	}
	if !single {
		return "", false
	}
	for size := n.longest; size > n.whole; size-- {
		if len(joined) > size {
			if k, ok := n.terms[joined[len(joined)-size:]]; ok {
				return k, true
			}
		}
	}
	return "", false
}

func (n nameRules) disqualified(before, after []string) bool {
	if len(after) > 0 && n.after[after[0]] || len(after) > 0 && n.after[after[len(after)-1]] {
		return true
	}
	return len(before) > 0 && n.before[before[len(before)-1]]
}

// splitName splits at separators and at capitals: "dbAPIKey_2" → db api key 2.
func splitName(name string) []string {
	var words []string
	start := 0
	flush := func(end int) {
		if end > start {
			words = append(words, strings.ToLower(name[start:end]))
		}
	}
	for i := 0; i < len(name); i++ {
		c := name[i]
		switch {
		case !text.IsWord(c) || c == '_':
			flush(i)
			start = i + 1
		case i > start && unicode.IsUpper(rune(c)) && (!unicode.IsUpper(rune(name[i-1])) || i+1 < len(name) && unicode.IsLower(rune(name[i+1]))):
			flush(i)
			start = i
		}
	}
	flush(len(name))
	return words
}
