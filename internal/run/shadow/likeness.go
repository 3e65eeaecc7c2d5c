package shadow

import (
	"maps"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// concerns compares the subjects of findings by their significant words.
type concerns struct {
	percent, least int
	meaning        map[string]string // stem → the stem that represents its meaning
	general        map[string]bool   // insignificant stems
}

func newConcerns(c *Config) *concerns {
	out := &concerns{percent: c.Likeness.Percent, least: c.Likeness.Words, meaning: map[string]string{}, general: prose.Stems(c.General)}
	for _, group := range c.Synonyms {
		for _, word := range group {
			out.meaning[prose.Stem(word)] = prose.Stem(group[0])
		}
	}
	return out
}

// words returns the significant words of a text, each once.
func (c *concerns) words(s string) map[string]bool {
	out := map[string]bool{}
	for token := range strings.FieldsFuncSeq(s, text.NotWord) {
		if meaning, ok := c.meaning[prose.Stem(token)]; ok {
			out[meaning] = true // even if the word alone is insignificant: down
			continue
		}
		for _, stem := range prose.Terms(token) {
			if meaning, ok := c.meaning[stem]; ok {
				stem = meaning
			}
			if !c.general[stem] {
				out[stem] = true
			}
		}
	}
	return out
}

// alike reports whether two texts are about the same thing.
func (c *concerns) alike(a, b map[string]bool) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	shared := 0
	for word := range a {
		if b[word] {
			shared++
		}
	}
	return shared >= min(c.least, len(b)) && shared > 0 && shared*100 >= c.percent*len(a)
}

// parallel reports whether two texts are the same sentence about different things:
// "orders has no index" and "users has no index" differ in one significant word in one
// place, which is not a rewording.
func (c *concerns) parallel(a, b string) bool {
	one, other := strings.FieldsFunc(a, text.NotWord), strings.FieldsFunc(b, text.NotWord)
	if len(one) != len(other) {
		return false
	}
	equal, telling := 0, 0
	for i := range one {
		if strings.EqualFold(one[i], other[i]) {
			equal++
			continue
		}
		x, y := c.words(one[i]), c.words(other[i])
		if len(x) > 0 && len(y) > 0 && !maps.Equal(x, y) {
			telling++
		}
	}
	return telling > 0 && equal > len(one)/2
}

// statement is a text with its significant words.
type statement struct {
	text  string
	words map[string]bool
}

func (c *concerns) read(text string) statement { return statement{text, c.words(text)} }

// saySame reports whether two texts say the same thing.
func (c *concerns) saySame(a, b statement) bool {
	if a.text == b.text {
		return a.text != ""
	}
	return c.alike(a.words, b.words) && !c.parallel(a.text, b.text)
}

// samePlace reports whether two findings are about one file and category.
func samePlace(a, b *runevents.Finding) bool {
	return a.File == b.File && strings.EqualFold(a.Category, b.Category)
}
