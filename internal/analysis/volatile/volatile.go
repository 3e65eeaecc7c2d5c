// Package volatile replaces the parts of a program's output that differ from run to run
// although nothing changed — timestamps, durations, process ids, uuids, temporary paths,
// hexadecimal addresses, ports, terminal colours — so that equal results compare equal
// (SW-6).
//
// Plain numbers are kept: "3 failed" against "2 failed" is progress.
package volatile

import (
	"strconv"

	"github.com/cespare/xxhash/v2"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// Hash returns a hash of output after its volatile parts were replaced, 16 hex digits.
func Hash(output string) string {
	d := xxhash.New()
	each(output, func(piece string) { _, _ = d.WriteString(piece) })
	return hex16(d.Sum64())
}

// Normalise returns s with each volatile part replaced by a mark such as ‹time›.
func Normalise(s string) string {
	var out []byte
	each(s, func(piece string) { out = append(out, piece...) })
	return string(out)
}

func hex16(sum uint64) string {
	const zeros = "0000000000000000"
	s := strconv.FormatUint(sum, 16)
	return zeros[len(s):] + s
}

// each calls emit with the pieces of s in order, the volatile ones replaced. It examines
// only digits, slashes and escapes, since every volatile part contains one.
func each(s string, emit func(string)) {
	from := 0
	for i := 0; i < len(s); {
		c := class[s[i]]
		if c == 0 {
			i++
			continue
		}
		start, end, mark := find(s, i, from, c)
		if end <= i {
			i = skip(s, i, c)
			continue
		}
		emit(s[from:start])
		emit(mark)
		from, i = end, end
	}
	emit(s[from:])
}

// find returns the volatile part that the byte at i belongs to; end is 0 if there is
// none. from is where the text not yet emitted begins.
func find(s string, i, from int, c byte) (start, end int, mark string) {
	switch c {
	case slash:
		return temporaryPath(s, i)
	case escape:
		return colour(s, i)
	default:
		return number(s, i, from)
	}
}

// skip skips the rest of the word that contains a digit: its next digit cannot begin
// anything that its first one did not.
func skip(s string, i int, c byte) int {
	if c != digit {
		return i + 1
	}
	for i < len(s) && class[s[i]] == digit {
		i++
	}
	return i
}

const (
	digit  = 1
	slash  = 2
	escape = 3
)

var class = func() (t [256]byte) {
	for c := '0'; c <= '9'; c++ {
		t[c] = digit
	}
	t['/'], t[0x1b] = slash, escape
	return t
}()

func isHex(c byte) bool { return text.IsDigit(c) || c|0x20-'a' <= 5 }
