package loose

import (
	"bytes"
	"encoding/json"
	"strconv"
	"time"
)

// String decodes a string; a number becomes its digits, anything else "".
type String string

// UnmarshalJSON accepts any type.
func (s *String) UnmarshalJSON(b []byte) error {
	*s = readString(b)
	return nil
}

func readString(b []byte) String {
	switch c := first(b); {
	case c == '"':
		var v string
		_ = json.Unmarshal(b, &v)
		return String(v)
	case c == '-' || c >= '0' && c <= '9':
		return String(bytes.TrimSpace(b))
	}
	return ""
}

// Bool decodes true; anything else is false.
type Bool bool

// UnmarshalJSON accepts any type.
func (v *Bool) UnmarshalJSON(b []byte) error {
	*v = string(bytes.TrimSpace(b)) == "true"
	return nil
}

// Int decodes a whole number, possibly in a string; anything else is 0.
type Int int64

// UnmarshalJSON accepts any type.
func (n *Int) UnmarshalJSON(b []byte) error {
	f, _ := strconv.ParseFloat(string(readString(b)), 64)
	if f > -1e15 && f < 1e15 {
		*n = Int(f)
	}
	return nil
}

// Amount decodes a number above 0, possibly in a string; anything else is 0.
type Amount float64

// UnmarshalJSON accepts any type.
func (a *Amount) UnmarshalJSON(b []byte) error {
	*a = 0
	if f, err := strconv.ParseFloat(string(readString(b)), 64); err == nil && f > 0 && f < 1e12 {
		*a = Amount(f)
	}
	return nil
}

// Time decodes RFC 3339 text, with or without zone, or a number of seconds, milliseconds or microseconds
// since 1970; anything else is the zero time.
type Time struct{ time.Time }

// UnmarshalJSON accepts any type.
func (t *Time) UnmarshalJSON(b []byte) error {
	t.Time = time.Time{}
	text := string(readString(b))
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999"} {
		if at, err := time.Parse(layout, text); err == nil {
			t.Time = at
			return nil
		}
	}
	if f, err := strconv.ParseFloat(text, 64); err == nil {
		t.Time = fromUnix(f)
	}
	return nil
}

// fromUnix derives the unit from the size: seconds stay below 1e11 until the year 5138.
func fromUnix(f float64) time.Time {
	switch {
	case f <= 0 || f > 1e17:
		return time.Time{}
	case f < 1e11:
		return time.UnixMicro(int64(f * 1e6)).UTC()
	case f < 1e14:
		return time.UnixMilli(int64(f)).UTC()
	default:
		return time.UnixMicro(int64(f)).UTC()
	}
}

// Object returns the arguments of a tool call as a JSON object or other JSON value: JSON inside a string is
// unpacked, other text becomes a JSON string. It returns nil if there are none.
func Object(b []byte) json.RawMessage {
	switch first(b) {
	case 0, 'n':
		return nil
	case '"':
		inner := []byte(readString(b))
		if c := first(inner); (c == '{' || c == '[') && json.Valid(inner) {
			return inner
		}
	}
	return append(json.RawMessage(nil), bytes.TrimSpace(b)...)
}

// Flag returns a pointer to v, for fields that distinguish false from unknown.
func Flag(v bool) *bool { return &v }

// Code returns a pointer to v, for exit codes.
func Code(v int) *int { return &v }

// Nested returns a value with JSON inside a string unpacked, as some agents encode each argument:
// "\"/tmp\"" becomes the string /tmp. Other values are returned unchanged.
func Nested(b json.RawMessage) json.RawMessage {
	if first(b) == '"' {
		inner := []byte(readString(b))
		if c := first(inner); (c == '"' || c == '{' || c == '[') && json.Valid(inner) {
			return inner
		}
	}
	return b
}
