package duplicatebuild

import "iter"

// tokens yields the identifiers, strings and numbers of a line, in order.
func tokens(line string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for at := 0; at < len(line); {
			end := tokenEnd(line, at)
			if end > at && !yield(line[at:end]) {
				return
			}
			at = max(end, at+1)
		}
	}
}

// tokenEnd returns where the token that begins at a place ends; the place itself if no
// token begins there.
func tokenEnd(line string, at int) int {
	switch c := line[at]; {
	case c == '"' || c == '\'':
		return stringEnd(line, at)
	case isDigit(c):
		end := past(line, at, isDigit)
		if end+1 < len(line) && line[end] == '.' && isDigit(line[end+1]) {
			end = past(line, end+1, isDigit)
		}
		return end
	case isNameByte(c):
		return past(line, at, isNameByte)
	}
	return at
}

// stringEnd returns the end of a quoted string, or its beginning if it does not end on
// the line.
func stringEnd(line string, at int) int {
	for i := at + 1; i < len(line); i++ {
		switch {
		case line[i] == line[at]:
			return i + 1
		case line[i] == '\\' && i+1 < len(line) && line[i+1] != '\n':
			i++
		case line[i] == '\\':
			return at
		}
	}
	return at
}

// past returns the first place from at on whose byte is of another kind.
func past(line string, at int, is func(byte) bool) int {
	for at < len(line) && is(line[at]) {
		at++
	}
	return at
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isNameByte(c byte) bool {
	return c == '_' || c == '$' || isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'z'
}
