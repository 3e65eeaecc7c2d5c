package events

import (
	"bytes"
	"encoding/json"
)

// These functions walk JSON text that was decoded before, so they need not validate it:
// they skip whole strings at once, some ten times faster than a decoder. In invalid JSON
// they find what looks like JSON.

// eachMember calls use with the members of a JSON object, in order. It returns false if
// the text is not an object or ends within it.
func eachMember(object []byte, use func(name, value []byte)) bool {
	at := skipSpace(object, 0)
	if at >= len(object) || object[at] != '{' {
		return false
	}
	for at = skipSpace(object, at+1); at < len(object) && object[at] == '"'; at = skipSpace(object, at+1) {
		end := stringEnd(object, at)
		name := memberName(object[at:end])
		if at = skipSpace(object, end); at >= len(object) || object[at] != ':' {
			return false
		}
		from := skipSpace(object, at+1)
		to := valueEnd(object, from)
		use(name, object[from:to])
		if at = skipSpace(object, to); at >= len(object) || object[at] != ',' {
			break
		}
	}
	return at < len(object) && object[at] == '}'
}

// arrayItems returns the items of a JSON array, and false if the text is not an array.
func arrayItems(array []byte) ([][]byte, bool) {
	at := skipSpace(array, 0)
	if at >= len(array) || array[at] != '[' {
		return nil, false
	}
	var out [][]byte
	for at = skipSpace(array, at+1); at < len(array) && array[at] != ']'; at = skipSpace(array, at+1) {
		end := valueEnd(array, at)
		out = append(out, array[at:end])
		if at = skipSpace(array, end); at >= len(array) || array[at] != ',' {
			break
		}
	}
	return out, at < len(array) && array[at] == ']'
}

func memberName(literal []byte) []byte {
	if bytes.IndexByte(literal, '\\') < 0 && len(literal) >= 2 {
		return literal[1 : len(literal)-1]
	}
	var name string
	_ = json.Unmarshal(literal, &name) // a non-string never matches a name
	return []byte(name)
}

func skipSpace(text []byte, at int) int {
	for at < len(text) && (text[at] == ' ' || text[at] == '\n' || text[at] == '\t' || text[at] == '\r') {
		at++
	}
	return at
}

// valueEnd returns the offset after the JSON value that begins at from.
func valueEnd(text []byte, from int) int {
	depth := 0
	for at := from; at < len(text); at++ {
		switch text[at] {
		case '"':
			at = stringEnd(text, at) - 1
		case '{', '[':
			depth++
			continue
		case '}', ']':
			if depth == 0 {
				return at
			}
			depth--
		case ',', ' ', '\n', '\t', '\r':
			if depth == 0 {
				return at
			}
			continue
		default:
			continue
		}
		if depth == 0 {
			return at + 1
		}
	}
	return len(text)
}

// stringEnd returns the offset after the string that begins at the quote at from.
func stringEnd(text []byte, from int) int {
	for at := from + 1; at < len(text); at++ {
		quote := bytes.IndexByte(text[at:], '"')
		if quote < 0 {
			return len(text)
		}
		at += quote
		escapes := at
		for text[escapes-1] == '\\' {
			escapes--
		}
		if (at-escapes)%2 == 0 {
			return at + 1
		}
	}
	return len(text)
}
