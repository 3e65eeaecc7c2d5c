package secrets

import "math/bits"

// byteSet is a set of ASCII bytes.
type byteSet [2]uint64

func (b *byteSet) has(c byte) bool { return c < 0x80 && b[c>>6]&(1<<(c&63)) != 0 }

func (b *byteSet) add(c byte) { b[c>>6] |= 1 << (c & 63) }

func (b *byteSet) size() int { return bits.OnesCount64(b[0]) + bits.OnesCount64(b[1]) }

// leadLength is how many leading bytes of a match are known at most.
const leadLength = 24

// lead is what the first bytes of every match of an expression look like: it
// rejects a place in nanoseconds that a regular expression rejects in one
// microsecond.
type lead struct {
	WordStart bool      `json:"word_start,omitempty"` // a match begins where a word does
	Sets      []byteSet `json:"sets,omitempty"`
}

// fits reports whether a match could begin at text[pos].
func (l lead) fits(text string, pos int) bool {
	if len(text)-pos < len(l.Sets) {
		return false
	}
	for i := range l.Sets {
		if !l.Sets[i].has(text[pos+i]) {
			return false
		}
	}
	return !l.WordStart || pos == 0 || !isWord(text[pos-1]) || isEscapeLetter(text, pos-1)
}

// beginsWith reports whether a match can begin with the lower-case keyword and
// begins so narrowly that the keyword's place is the match's.
func (l lead) beginsWith(keyword string) bool {
	if len(l.Sets) < min(len(keyword), leadLength) || l.Sets[0].size() > 4 {
		return false
	}
	for i := 0; i < len(keyword) && i < len(l.Sets); i++ {
		c := keyword[i]
		if !l.Sets[i].has(c) && !l.Sets[i].has(upper(c)) {
			return false
		}
	}
	return true
}

func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}

// isEscapeLetter reports whether text[i] is the letter of an escape such as \n
// in JSON inside a string: it ends no word.
func isEscapeLetter(text string, i int) bool {
	c := text[i]
	return (c == 'n' || c == 'r' || c == 't') && i > 0 && text[i-1] == '\\'
}

func upper(c byte) byte {
	if c >= 'a' && c <= 'z' {
		return c - 'a' + 'A'
	}
	return c
}

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c - 'A' + 'a'
	}
	return c
}
