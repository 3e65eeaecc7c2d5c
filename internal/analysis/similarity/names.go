package similarity

import (
	"sort"
	"strings"
	"sync"

	"github.com/adrg/strutil/metrics"

	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Weights of a pair of different words.
const (
	synonymWeight = 0.9
	// alikeFrom is the minimum Jaro-Winkler similarity of two spellings of one word.
	alikeFrom = 0.92
	// alikeLength excludes short words, which are similar by coincidence.
	alikeLength = 5
)

// synonyms is the section of rule data.
type synonyms struct {
	Groups [][]string `yaml:"groups"`
}

// groups maps the stem of a word to the first word of its synonyms.
var groups = sync.OnceValue(func() map[string]string {
	var c synonyms
	if err := rules.Default().Decode("synonyms", &c); err != nil {
		panic(err) // this package's tests check the embedded data
	}
	out := map[string]string{}
	for _, group := range c.Groups {
		for _, word := range group {
			out[Stem(word)] = group[0]
		}
	}
	return out
})

// Normal returns the stemmed word that represents a word and its synonyms.
func Normal(word string) string {
	stem := Stem(word)
	if first, ok := groups()[stem]; ok {
		return first
	}
	return stem
}

// Key returns a name's normalized words, sorted, each once, joined by spaces, so that
// synonymous names share it (fetchUser, get_account).
func Key(name string) string {
	words := Words(name)
	for i, w := range words {
		words[i] = Normal(w)
	}
	sort.Strings(words)
	n := 0
	for i, w := range words {
		if i == 0 || w != words[n-1] {
			words[n] = w
			n++
		}
	}
	return strings.Join(words[:n], " ")
}

// Names compares two identifiers word by word, 0–1: equal words count 1, synonyms 0.9,
// misspellings a little less; the order is ignored.
func Names(a, b string) float64 {
	if a == b && a != "" {
		return 1
	}
	left, right := Words(a), Words(b)
	if len(left) == 0 || len(right) == 0 {
		return 0
	}
	used := make([]bool, len(right))
	sum := 0.0
	for _, w := range left {
		best, at := 0.0, -1
		for j, other := range right {
			if s := words(w, other); !used[j] && s > best {
				best, at = s, j
			}
		}
		if at >= 0 {
			used[at] = true
			sum += best
		}
	}
	return 2 * sum / float64(len(left)+len(right))
}

func words(a, b string) float64 {
	if a == b {
		return 1
	}
	if Normal(a) == Normal(b) {
		return synonymWeight
	}
	short, long := min(len(a), len(b)), max(len(a), len(b))
	if short < alikeLength || 10*short < 6*long { // their similarity is below alikeFrom
		return 0
	}
	if s := metrics.NewJaroWinkler().Compare(a, b); s >= alikeFrom {
		return s * synonymWeight
	}
	return 0
}
