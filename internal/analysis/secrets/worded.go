package secrets

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// wordsCount reports whether a value of words is a secret that a person chose: "river-stone-Lantern7"
// under a name that ends in what it is, as the source asks ("appearing as string literal", B1). Texts
// about credentials and the names of things look alike, so a word of those rules it out.
func (sc *scan) wordsCount(name string, kind Kind, l literal) bool {
	f := sc.files()
	if !l.quoted && !l.config || f.label || f.document || len(l.value) < leastWorded ||
		!wordy(l.value) && !madeUp(l.value) {
		return false
	}
	named := splitName(name)
	if _, ends := sc.names.term(named[len(named)-1], true); !ends && !sc.endsInTerm(named) {
		return false
	}
	// A secret by that name alone is as often the name of one that lies elsewhere.
	if kind == KindSecret && (f.config || len(named) < 2) {
		return false
	}
	parts := strings.FieldsFunc(l.value, func(r rune) bool { return r == '-' || r == '_' || r == '.' })
	if strings.ContainsAny(l.value, "/: ,") || len(parts) < 2 {
		return false
	}
	// Names of headers, stores and tokens of a design end in the same words: a key or token of words is
	// one that has digits or capitals as well.
	if kind == KindToken && (len(named) < 2 || len(parts) < 3 || !mixed(l.value)) {
		return false
	}
	words := 0
	for _, part := range parts {
		lower := strings.ToLower(part)
		if sc.values.thingWords[lower] || sc.values.phraseWords[lower] || sc.values.words[lower] {
			return false
		}
		for _, w := range splitName(part) {
			if sc.values.thingWords[w] {
				return false
			}
		}
		if letters := strings.Trim(lower, "0123456789"); len(letters) >= 3 {
			words++
		}
	}
	return words >= 3 && len(named) >= 2 || words >= 2 && mixed(l.value) || words >= 1 && len(parts) == 2 &&
		len(named) >= 2 && mixed(l.value)
}

// leastWorded is the least length of a secret of words.
const leastWorded = 12

// endsInTerm reports whether the last two or three words of a name are a term together: "API_SECRET".
func (sc *scan) endsInTerm(words []string) bool {
	for n := 2; n <= min(3, len(words)); n++ {
		if _, ok := sc.names.term(strings.Join(words[len(words)-n:], ""), false); ok {
			return true
		}
	}
	return false
}

// mixed reports whether a value has small letters beside a capital or a digit.
func mixed(value string) bool {
	small, other := false, false
	for i := 0; i < len(value); i++ {
		switch kindOf(value[i]) {
		case 'l':
			small = true
		case 'U', 'd':
			other = true
		}
	}
	return small && other
}

// madeUp reports whether a value is of letters, digits and the separators of words alone.
func madeUp(value string) bool {
	for i := 0; i < len(value); i++ {
		if kindOf(value[i]) == 'p' && strings.IndexByte("-_.", value[i]) < 0 {
			return false
		}
	}
	return true
}

// random reads string literals that are as machines make secrets.
type random struct{ *scan }

// entropyAlone finds string literals of code that only their entropy makes a secret (B1): more than
// 4.0 bits per character over more than 16, with letters of both cases and digits as machines mix
// them. Their name says nothing, so that they are for the log.
func (sc random) entropyAlone() {
	if sc.path == "" || !sc.code.MatchString(sc.path) {
		return
	}
	f := sc.files()
	if f.machine || f.config || f.document || f.label {
		return
	}
	found := 0
	for at := 0; at < len(sc.text) && found < mostByEntropy; {
		open := strings.IndexAny(sc.text[at:], "\"'`")
		if open < 0 {
			return
		}
		open += at
		end := open + 1
		for end < len(sc.text) && isRandomByte(sc.text[end]) {
			end++
		}
		if end >= len(sc.text) || sc.text[end] != sc.text[open] {
			at = open + 1
			continue
		}
		at = end + 1
		value := sc.text[open+1 : end]
		if !sc.random(value) {
			continue
		}
		name := nameBefore(sc.text[:open])
		if sc.aboutHashes(name, sc.text[:open]) || slices.ContainsFunc(sc.found,
			func(f Finding) bool { return f.Start < end && f.End > open }) {
			continue
		}
		found++
		sc.found = append(sc.found, sc.as(Finding{
			Start: open + 1, End: end, Value: value, Variable: name, Entropy: entropy(value), TestFile: sc.testFile(),
		}, "entropy-alone", TierEntropy, sc.config.Confidence.Entropy))
	}
}

const (
	// mostByEntropy bounds what a text can have of them: tables of data have many.
	mostByEntropy = 8
	// longestByEntropy: what is longer is data.
	longestByEntropy = 96
)

// isRandomByte: letters, digits and what base64 adds to them.
func isRandomByte(c byte) bool { return kindOf(c) != 'p' || strings.IndexByte("+/=_-", c) >= 0 }

// random reports whether a literal is as machines make secrets: not a hash, an identifier, an
// alphabet or a path.
func (sc random) random(value string) bool {
	if len(value) <= sc.config.EntropyLength || len(value) > longestByEntropy || strings.Count(value, "/") > 1 {
		return false
	}
	lower, upper, digits := 0, 0, 0
	for i := 0; i < len(value); i++ {
		switch kindOf(value[i]) {
		case 'l':
			lower++
		case 'U':
			upper++
		case 'd':
			digits++
		}
	}
	if lower < 3 || upper < 3 || digits < 2 || sorted(value) {
		return false
	}
	return changes(value)*3 >= len(value) && entropy(value) > sc.config.Entropy && !wordy(value) &&
		!sc.values.placeholder(value) && !sc.values.reference(value)
}

// sorted reports whether a value runs through the letters or digits: an alphabet.
func sorted(value string) bool {
	next := 0
	for i := 1; i < len(value); i++ {
		if value[i] == value[i-1]+1 {
			next++
		}
	}
	return next*3 > len(value)
}

// nameBefore is the name that a literal is given to, "" for none.
func nameBefore(s string) string {
	s = strings.TrimRight(s[max(0, len(s)-maximumName):], " \t\"'`([{=:>,&+\\")
	end := len(s)
	start := end
	for start > 0 && text.IsWord(s[start-1]) {
		start--
	}
	return s[start:end]
}

// aboutHashes reports whether the name or the line before a literal is about a hash, an id or a key
// that anybody may read.
func (sc random) aboutHashes(name, before string) bool {
	line := strings.ToLower(before[strings.LastIndexAny(before, "\n;{")+1:])
	for _, w := range splitName(name) {
		if sc.names.never[w] {
			return true
		}
	}
	for _, w := range strings.FieldsFunc(line, func(r rune) bool { return r < 'a' || r > 'z' }) {
		if sc.names.never[w] || sc.values.publicWords[w] {
			return true
		}
	}
	return false
}

var (
	// callForm is a call as code or prose writes it: user.Save(), Store::get(key).
	callForm = pattern.Must(`^[A-Za-z_]+(?:(?:\.|::|->)[A-Za-z_]+)*\([^()"']*\)[;!?]?$`)
	// pathForm is an identifier of several parts: user.save!, config::SecretKey.
	pathForm = pattern.Must(`^[A-Za-z_]+(?:(?:\.|::|->)[A-Za-z_]+)+[!?]?$`)
	// commentForm is a line, up to a literal, that is a comment.
	commentForm = pattern.Must(`^\s*(?://|#|\*|/\*|--|<!--|;|"""|''')|\s(?://|#)\s`)
)

// mentions reports whether a literal names code instead of being a value: a call anywhere, an
// identifier of several parts in a comment or as a code span after a colon ("would pass: `user.Save()`").
func (sc *scan) mentions(l literal) bool {
	if callForm.MatchString(l.value) {
		return true
	}
	if !pathForm.MatchString(l.value) {
		return false
	}
	start := strings.LastIndexByte(sc.text[:l.start], '\n') + 1
	before := sc.text[start:l.start]
	return commentForm.MatchString(before) || strings.HasSuffix(before, ": `")
}
