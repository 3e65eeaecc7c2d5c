package secrets

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
)

// valueRules decide what a literal is.
type valueRules struct {
	words, plain, passwords map[string]bool
	parts, references       []string
	starts                  []string
	pairs                   map[string]bool
	notChosen, phraseWords  map[string]bool
	thingWords, publicWords map[string]bool
	examples, templates     *pattern.Regexp
}

func newValueRules(c Config) valueRules {
	return valueRules{
		words: setOf(c.PlaceholderWords), plain: setOf(c.PlainValues), passwords: setOf(c.PlaceholderPasswords),
		parts: c.PlaceholderParts, references: c.ReferenceParts, starts: c.ReferenceStarts, pairs: setOf(c.CommonPairs),
		notChosen: setOf(c.NotChosen), phraseWords: setOf(c.PhraseWords),
		thingWords: setOf(c.ThingWords), publicWords: setOf(c.PublicWords),
		examples: c.PlaceholderPatterns, templates: c.ReferencePatterns,
	}
}

// reference reports whether the value is read from elsewhere when the program
// runs: environment, vault, template, file.
func (v valueRules) reference(value string) bool {
	for _, start := range v.starts {
		if strings.HasPrefix(value, start) {
			return true
		}
	}
	for _, part := range v.references {
		if strings.Contains(value, part) {
			return true
		}
	}
	return strings.Contains(value, MarkerOpen) || strings.Contains(value, MarkerClose) || v.templates.MatchString(value)
}

// minimumRandom is the least length of a value in which letters between digits are not words.
const minimumRandom = 20

// placeholder reports whether the value says of itself that it is an example (B1).
func (v valueRules) placeholder(value string) bool {
	folded := strings.ToLower(value)
	if strings.Count(folded, folded[:1]) == len(folded) {
		return true
	}
	for _, part := range v.parts {
		if strings.Contains(folded, part) {
			return true
		}
	}
	// Between the digits of a random value "my" and "na" are not words.
	random := len(value) >= minimumRandom && generated(value)
	between := func(r rune) bool { return (r < 'a' || r > 'z') && !(random && r >= '0' && r <= '9') }
	for _, word := range strings.FieldsFunc(folded, between) {
		if v.words[word] {
			return true
		}
	}
	return v.examples.MatchString(value)
}

// opaque reports whether a value of letters alone is not a word of any length: fewer than half of its
// pairs of letters are pairs that words are made of.
func (v valueRules) opaque(value string) bool {
	common := 0
	for i := 0; i < len(value); i++ {
		if k := kindOf(value[i]); k != 'l' && k != 'U' {
			return false
		}
		if i > 0 && v.pairs[strings.ToLower(value[i-1:i+1])] {
			common++
		}
	}
	return common*2 < len(value)-1
}

// wordy reports whether a value is an identifier, a path or a phrase: letters in
// words with separators, few digits.
func wordy(value string) bool {
	letters, separators, digits := 0, 0, 0
	for i := 0; i < len(value); i++ {
		switch kindOf(value[i]) {
		case 'l', 'U':
			letters++
		case 'd':
			digits++
		default:
			if !strings.ContainsRune("_-./: ,|", rune(value[i])) {
				return false
			}
			separators++
		}
	}
	if generated(value) && separators*4 < len(value) && digits > 1 {
		return false
	}
	return separators > 0 && digits*5 <= letters
}

// literal is the value after a name, as written.
type literal struct {
	start, end int    // span in the text, quotes left out
	value      string // the pieces of a concatenation joined
	quoted     bool
	config     bool // unquoted in a place where that is a literal: .env, YAML
}

// until cuts the literal before a byte.
func (l literal) until(end byte) literal {
	if i := strings.IndexByte(l.value, end); i >= 0 {
		l.value = l.value[:i]
		l.end = l.start + i
	}
	return l
}

// minimumUnquoted is the least length of an unquoted literal outside
// configuration files; shorter ones are as good as always identifiers.
const minimumUnquoted = 8

// judgeLiteral decides whether the literal after a name is a secret.
func (sc *scan) judgeLiteral(name string, force strength, kind Kind, l literal) (Finding, bool) {
	l = stripScheme(l)
	f := Finding{Start: l.start, End: l.end, Value: l.value, Variable: name, Entropy: entropy(l.value), TestFile: sc.testFile()}
	if len(l.value) < 4 || len(l.value) > 4096 || sc.values.reference(l.value) || sc.values.plain[strings.ToLower(l.value)] || sc.mentions(l) {
		return f, false
	}
	marked := sc.values.placeholder(l.value) || sc.exampleIn(l.value)
	if !marked && echoes(name, l.value) {
		return f, false
	}
	random := f.Entropy > sc.config.Entropy && len(l.value) > sc.config.EntropyLength && generated(l.value) && !wordy(l.value) && !strings.Contains(l.value, " ")
	if force == nameWeak {
		return sc.as(f, "weak-context", TierEntropy, sc.config.Confidence.Entropy), random && l.quoted && !marked
	}
	if !sc.literalCounts(kind, l, marked) && !sc.wordsCount(name, kind, l) {
		return f, false
	}
	switch {
	case marked || kind == KindPassword && sc.values.passwords[strings.ToLower(l.value)] || !random && sc.names.mock(name):
		f = sc.as(f, "named-literal", TierNamedLiteral, sc.config.Confidence.Placeholder)
		f.Placeholder = true
	case random:
		f = sc.as(f, "named-entropy", TierNamedEntropy, sc.config.Confidence.NamedEntropy)
	default:
		f = sc.as(f, "named-literal", TierNamedLiteral, sc.config.Confidence.NamedLiteral)
	}
	return f, true
}

func (sc *scan) as(f Finding, rule string, tier Tier, confidence float64) Finding {
	f.Rule, f.Tier, f.Confidence = rule, tier, confidence
	return f
}

// exampleIn reports whether a value in a document is one of its examples: "password123" in the
// answer of an API that a page describes (B1).
func (sc *scan) exampleIn(value string) bool {
	return sc.files().document && sc.examplesIn.MatchString(value)
}

// literalCounts applies what a term demands of its values.
func (sc *scan) literalCounts(kind Kind, l literal, marked bool) bool {
	value := l.value
	if sc.files().label && changes(value) == 0 {
		return false // a translation of the name
	}
	chosen := kind == KindPassword && sc.values.chosen(value) && (l.quoted || l.config || kindOf(value[0]) != 'l' || strings.ContainsAny(value[1:], strongSigns))
	if !chosen && !l.quoted && !l.config && (len(value) < minimumUnquoted || changes(value) < 2 || wordy(value)) {
		return false
	}
	if strings.Contains(value, " ") || !alphanumeric(value, 3) {
		return false
	}
	switch kind {
	case KindPassword:
		short := l.quoted && (strings.ContainsAny(value, "0123456789") || sc.values.passwords[strings.ToLower(value)])
		return (len(value) >= sc.config.MinimumPassword || short) && (marked || chosen || !wordy(value))
	case KindSecret:
		return len(value) >= sc.config.MinimumToken && (marked || !wordy(value)) && !constant(value)
	default:
		return len(value) >= sc.config.MinimumToken && (generated(value) || l.quoted && (sc.values.opaque(value) || marked && !constant(value)))
	}
}

// alphanumeric reports whether a value has at least n letters and digits.
func alphanumeric(value string, n int) bool {
	for i := 0; i < len(value) && n > 0; i++ {
		if kindOf(value[i]) != 'p' {
			n--
		}
	}
	return n == 0
}

// constant reports whether a value is the name of a constant or variable.
func constant(value string) bool {
	for i := 0; i < len(value); i++ {
		if k := kindOf(value[i]); k == 'l' || k == 'p' && value[i] != '_' {
			return false
		}
	}
	return strings.Contains(value, "_")
}

// schemes of the Authorization header.
var schemes = []string{"bearer", "basic", "token", "apikey"}

func isScheme(word string) bool {
	for _, scheme := range schemes {
		if strings.EqualFold(word, scheme) {
			return true
		}
	}
	return false
}

// stripScheme narrows "Bearer abc" to "abc".
func stripScheme(l literal) literal {
	for _, scheme := range schemes {
		if len(l.value) > len(scheme)+2 && hasFold(l.value, scheme) && (l.value[len(scheme)] == ' ' || l.value[len(scheme)] == ':') {
			rest := strings.TrimLeft(l.value[len(scheme):], ": ")
			if l.end-l.start == len(l.value) {
				l.start += len(l.value) - len(rest)
				l.value = rest
			}
			return l
		}
	}
	return l
}

// echoes reports whether a value repeats its own name: password = "password",
// private_key: "EllipticCurvePrivateKey".
func echoes(name, value string) bool {
	words := splitName(value)
	a, b := strings.Join(splitName(name), ""), strings.Join(words, "")
	return a == b || strings.HasSuffix(a, b) && len(b) >= 4 || b == a+"s" || len(words) > 1 && strings.HasSuffix(b, a)
}
