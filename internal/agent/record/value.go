package record

import "github.com/scaffoldwatch/scaffoldwatch/internal/text"

// value finds the end of one JSON value, fed in pieces. It checks only nesting and strings; decoding the
// value checks the rest.
type value struct {
	depth   int
	str     bool // inside a string
	escaped bool // after a backslash
	scalar  bool // inside a number or word
	started bool
}

// feed reads bytes of the value from b. It returns how many belong to the value and whether the value is
// complete.
func (v *value) feed(b []byte) (int, bool) {
	for i := 0; i < len(b); i++ {
		c := b[i]
		switch {
		case v.str:
			if v.inString(c) && v.depth == 0 {
				return i + 1, true
			}
		case v.scalar && v.depth == 0:
			if isDelimiter(c) {
				return i, true
			}
		case c == '"':
			v.str, v.started = true, true
		case c == '{' || c == '[':
			v.depth++
			v.started = true
		case c == '}' || c == ']':
			if v.depth <= 1 {
				return i + min(v.depth, 1), true
			}
			v.depth--
		case v.depth == 0 && !text.IsBlank(c):
			if c == ',' || c == ':' {
				return i, true // a value is missing here
			}
			v.scalar, v.started = true, true
		}
	}
	return len(b), false
}

// inString reads one byte of a string and reports whether it ended the string.
func (v *value) inString(c byte) bool {
	switch {
	case v.escaped:
		v.escaped = false
	case c == '\\':
		v.escaped = true
	case c == '"':
		v.str = false
		return true
	}
	return false
}

func isDelimiter(c byte) bool {
	return text.IsBlank(c) || c == ',' || c == ':' || c == '}' || c == ']' || c == '{' || c == '[' || c == '"'
}

// Split splits JSON values that follow each other on a line, as left by a writer that lost a line break.
// Text after the last complete value is dropped.
func Split(b []byte) [][]byte {
	var out [][]byte
	for len(b) > 0 {
		var v value
		n, done := v.feed(b)
		if !done || n == 0 || !v.started {
			return out
		}
		out = append(out, b[:n])
		b = b[n:]
	}
	return out
}
