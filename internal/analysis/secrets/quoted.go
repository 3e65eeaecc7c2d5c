package secrets

import "strings"

// maximumLiteral bounds a quoted literal in bytes.
const maximumLiteral = 8 << 10

// quotedAt reads a string literal at pos, with its prefix letters, the
// backslashes of JSON inside a string, and the pieces it is concatenated with.
// An interpolated literal is none.
func (sc *scan) quotedAt(pos int) (literal, bool) {
	l, next, ok := sc.piece(pos)
	if !ok {
		return literal{}, false
	}
	for n := 0; n < 64; n++ {
		more, after, ok := sc.piece(skipGlue(sc.text, next))
		if !ok || skipGlue(sc.text, next) == next {
			break
		}
		l.end, next = more.end, after
		l.value += more.value
	}
	return l, true
}

// skipGlue skips what joins string literals: + . & and line continuation.
func skipGlue(text string, at int) int {
	start := at
	glued := false
	for at < len(text) && at-start < 64 {
		switch c := text[at]; {
		case c == '+' || c == '&' || c == '.':
			glued = true
		case c == '\\' && at+1 < len(text) && text[at+1] == '\n':
			glued = true
		case isSpace(c):
		default:
			if glued {
				return at
			}
			return start
		}
		at++
	}
	return start
}

// piece reads one literal and says where it ended.
func (sc *scan) piece(pos int) (l literal, next int, ok bool) {
	text := sc.text
	open, interpolated := pos, false
	for open < len(text) && open-pos < 3 && strings.IndexByte("bBrRuUfFlL@$", text[open]) >= 0 {
		interpolated = interpolated || text[open] == 'f' || text[open] == 'F' || text[open] == '$'
		open++
	}
	slashes := open
	for slashes < len(text) && text[slashes] == '\\' {
		slashes++
	}
	depth := slashes - open
	if slashes >= len(text) || depth > 15 || (text[slashes] != '"' && text[slashes] != '\'' && text[slashes] != '`') {
		return literal{}, 0, false
	}
	quote := text[slashes]
	start := slashes + 1
	if depth == 0 && strings.HasPrefix(text[start:], string([]byte{quote, quote})) {
		start += 2
	}
	end := closing(text, start, quote, depth)
	if end < 0 {
		return literal{}, 0, false
	}
	value := text[start:end]
	if interpolated && strings.Contains(value, "{") {
		return literal{}, 0, false
	}
	return literal{start: start, end: end, value: value, quoted: true}, end + depth + 1, true
}

// closing finds the closing quote, which has exactly depth backslashes before
// it; at depth 0 an escaped quote is part of the literal. -1 without one.
func closing(text string, start int, quote byte, depth int) int {
	run := 0
	for i := start; i < len(text) && i-start < maximumLiteral; i++ {
		switch c := text[i]; {
		case c == '\\':
			run++
			continue
		case c == '\n':
			return -1
		case c == quote && (depth == 0 && run%2 == 0 || depth > 0 && run == depth):
			return i - depth
		case c == quote && depth > 0 && run < depth:
			return -1
		}
		run = 0
	}
	return -1
}
