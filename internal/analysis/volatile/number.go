package volatile

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// number returns the volatile part that begins with, or surrounds, the digit at i.
func number(s string, i, from int) (start, end int, mark string) {
	if mayBeUUID(s, i) {
		if start, end = uuid(s, i, from); end > 0 {
			return start, end, "‹uuid›"
		}
	}
	if i > 0 && text.IsName(s[i-1]) && s[i-1] != 'T' {
		return 0, 0, "" // inside a word: sha1, utf8, x86
	}
	if end = address(s, i); end > 0 {
		return i, end, "‹address›"
	}
	run := digits(s, i)
	if end = timestamp(s, i, run); end > 0 {
		return i, end, "‹time›"
	}
	if end = duration(s, run); end > 0 {
		return i, end, "‹duration›"
	}
	if end, mark = named(s, i, run); end > 0 {
		return i, end, mark
	}
	return 0, 0, ""
}

// digits returns the end of the run of digits at i.
func digits(s string, i int) int {
	for i < len(s) && text.IsDigit(s[i]) {
		i++
	}
	return i
}

// ends reports whether a part may end at i, which no word may continue.
func ends(s string, i int) bool { return i >= len(s) || !text.IsName(s[i]) }

// mayBeUUID reports whether a hyphen precedes or follows the digit's hexadecimal word.
func mayBeUUID(s string, i int) bool {
	end := i
	for end < len(s) && isHex(s[end]) {
		end++
	}
	return end < len(s) && s[end] == '-' || i > 0 && (s[i-1] == '-' || isHex(s[i-1]))
}

// uuid matches 8-4-4-4-12 hexadecimal digits around the digit at i, which is the first
// digit of its word.
func uuid(s string, i, from int) (start, end int) {
	for start = i; ; start-- {
		if isUUID(s, start) {
			return start, start + 36
		}
		if start == from || i-start >= 35 || !isHex(s[start-1]) && s[start-1] != '-' {
			return 0, 0
		}
	}
}

func isUUID(s string, i int) bool {
	if i+36 > len(s) || s[i+8] != '-' || s[i+13] != '-' || s[i+18] != '-' || s[i+23] != '-' {
		return false
	}
	for k := i; k < i+36; k++ {
		if s[k] != '-' && !isHex(s[k]) {
			return false
		}
	}
	return (i == 0 || !text.IsName(s[i-1])) && ends(s, i+36)
}

// address matches 0x and at least four hexadecimal digits.
func address(s string, i int) int {
	if s[i] != '0' || i+6 > len(s) || s[i+1]|0x20 != 'x' {
		return 0
	}
	end := i + 2
	for end < len(s) && isHex(s[end]) {
		end++
	}
	if end-i < 6 || !ends(s, end) {
		return 0
	}
	return end
}

// timestamp matches 2006-01-02[T15:04:05[.9][Z|+01:00]], 2006/01/02 with a time,
// 15:04:05[.9], "Jan 2 15:04" and seconds or milliseconds since 1970.
func timestamp(s string, i, run int) int {
	switch run - i {
	case 4:
		return date(s, i)
	case 2:
		return clock(s, i)
	case 10, 13, 16, 19:
		if s[i] == '1' && s[i+1] >= '5' && ends(s, run) {
			return fraction(s, run)
		}
	}
	return 0
}

func date(s string, i int) int {
	if i+10 > len(s) || (s[i] != '1' && s[i] != '2') {
		return 0
	}
	sep := s[i+4]
	if (sep != '-' && sep != '/') || s[i+7] != sep || digits(s, i+5) != i+7 || digits(s, i+8) != i+10 {
		return 0
	}
	end := i + 10
	if end+1 < len(s) && (s[end] == 'T' || s[end] == ' ' || s[end] == '_') && digits(s, end+1) == end+3 {
		if t := clock(s, end+1); t > 0 {
			return zone(s, t)
		}
	}
	if sep == '/' || !ends(s, end) {
		return 0 // 2024/01/02 alone is more often a path
	}
	return end
}

// clock matches 15:04:05 with a fraction, or 15:04 after a month and a day.
func clock(s string, i int) int {
	if i+5 > len(s) || s[i+2] != ':' || digits(s, i+3) != i+5 || s[i] > '2' {
		return 0
	}
	if i > 0 && (s[i-1] == ':' || s[i-1] == '.') {
		return 0 // file.go:12:34
	}
	if i+8 <= len(s) && s[i+5] == ':' && digits(s, i+6) == i+8 {
		return fraction(s, i+8)
	}
	if ends(s, i+5) && afterMonthDay(s, i) {
		return i + 5
	}
	return 0
}

// fraction skips ".123" or ",123" at i.
func fraction(s string, i int) int {
	if i+1 < len(s) && (s[i] == '.' || s[i] == ',') && text.IsDigit(s[i+1]) {
		return digits(s, i+1)
	}
	return i
}

// zone skips "Z", "+01:00" or " +0100" at i.
func zone(s string, i int) int {
	if i < len(s) && s[i] == 'Z' {
		return i + 1
	}
	at := i
	if at < len(s) && s[at] == ' ' {
		at++
	}
	if at >= len(s) || (s[at] != '+' && s[at] != '-') {
		return i
	}
	end := digits(s, at+1)
	switch {
	case end == at+5:
		return end
	case end == at+3 && end < len(s) && s[end] == ':' && digits(s, end+1) == end+3:
		return end + 3
	}
	return i
}

const months = "JanFebMarAprMayJunJulAugSepOctNovDec"

// afterMonthDay reports whether "Jan 2 " or "Jan 12 " precedes i, as ls and syslog print
// it.
func afterMonthDay(s string, i int) bool {
	if i < 7 || s[i-1] != ' ' || !text.IsDigit(s[i-2]) {
		return false
	}
	month := s[i-7 : i-4]
	return strings.Index(months, month)%3 == 0
}

// duration matches a number with a unit of time: 0.12s, 3 ms, 1m30.5s, 2 seconds.
func duration(s string, run int) int {
	at := fraction(s, run)
	if at >= len(s) || !mayBeUnit[s[at]] {
		return 0
	}
	end := at
	for {
		unit := compactUnit(s, end)
		if unit == 0 {
			break
		}
		if ends(s, unit) {
			if unit == end+1 && (s[end] == 'm' || s[end] == 'h') && end == at {
				return 0 // 5m alone is megabytes, minutes or metres
			}
			return unit
		}
		next := digits(s, unit)
		if next == unit {
			break
		}
		end = fraction(s, next)
	}
	if at < len(s) && s[at] == ' ' {
		return spelledUnit(s, at+1)
	}
	return 0
}

// mayBeUnit marks the bytes that a unit of time, or the blank before it, begins with.
var mayBeUnit = func() (t [256]bool) {
	for _, c := range []byte(" mnush\xc2\xce") {
		t[c] = true
	}
	return t
}()

func compactUnit(s string, i int) int {
	for _, unit := range [...]string{"ms", "ns", "us", "µs", "μs", "sec", "secs", "s", "m", "h"} {
		if strings.HasPrefix(s[i:], unit) && (len(unit) > 1 || i+1 == len(s) || !text.IsLetter(s[i+1])) {
			if unit == "sec" && strings.HasPrefix(s[i:], "secs") {
				continue
			}
			return i + len(unit)
		}
	}
	return 0
}

func spelledUnit(s string, i int) int {
	if i >= len(s) || !mayBeUnit[s[i]] {
		return 0
	}
	for _, unit := range [...]string{"milliseconds", "seconds", "second", "minutes", "secs", "sec", "ms", "µs", "ns", "s"} {
		if strings.HasPrefix(s[i:], unit) && ends(s, i+len(unit)) {
			return i + len(unit)
		}
	}
	return 0
}
