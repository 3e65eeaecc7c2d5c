package secrets

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/bits"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// byteSet is a set of ASCII bytes.
type byteSet [2]uint64

func (b *byteSet) has(c byte) bool { return c < 0x80 && b[c>>6]&(1<<(c&63)) != 0 }

func (b *byteSet) size() int { return bits.OnesCount64(b[0]) + bits.OnesCount64(b[1]) }

// leadLength is how many leading bytes of a match are known at most.
const leadLength = 24

// lead is what the first bytes of every match of an expression look like: it
// rejects a place in nanoseconds that a regular expression rejects in one
// microsecond.
type lead struct {
	WordStart bool     `json:"word_start,omitempty"` // a match begins where a word does
	Sets      byteSets `json:"sets,omitempty"`
}

// byteSets are one a position. As text they are 32 hexadecimal digits each, which a start reads in a tenth
// of the time that numbers take.
type byteSets []byteSet

// MarshalText encodes the sets.
func (b byteSets) MarshalText() ([]byte, error) {
	var raw []byte
	for _, set := range b {
		raw = binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(raw, set[0]), set[1])
	}
	return hex.AppendEncode(nil, raw), nil
}

// UnmarshalText decodes the sets. It fails where the text is not whole sets.
func (b *byteSets) UnmarshalText(text []byte) error {
	raw, err := hex.AppendDecode(nil, text)
	if err != nil || len(raw)%16 != 0 {
		return fmt.Errorf("sets of bytes: %d digits: %w", len(text), err)
	}
	*b = make(byteSets, len(raw)/16)
	for i := range *b {
		(*b)[i] = byteSet{binary.BigEndian.Uint64(raw[i*16:]), binary.BigEndian.Uint64(raw[i*16+8:])}
	}
	return nil
}

// fits reports whether a match could begin at text[pos].
func (l lead) fits(s string, pos int) bool {
	if len(s)-pos < len(l.Sets) {
		return false
	}
	for i := range l.Sets {
		if !l.Sets[i].has(s[pos+i]) {
			return false
		}
	}
	return !l.WordStart || pos == 0 || !text.IsWord(s[pos-1]) || isEscapeLetter(s, pos-1)
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
