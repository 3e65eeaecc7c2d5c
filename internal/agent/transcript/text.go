package transcript

import (
	"bytes"
	"unicode/utf8"
)

// IsText reports whether b reads as text: no NUL and mostly valid UTF-8.
func IsText(b []byte) bool {
	if bytes.IndexByte(b, 0) >= 0 {
		return false
	}
	bad := 0
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			bad++
		}
		i += n
	}
	return bad*20 <= len(b)
}
