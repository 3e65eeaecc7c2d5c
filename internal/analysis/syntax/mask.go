package syntax

import "strings"

// mask returns a copy of code, of the same length, in which comments and the inside of
// strings are blanked and newlines kept, so that the remaining brackets and keywords are
// real.
func (l *language) mask(code string) []byte {
	out := []byte(code)
	at := 0
	if end := l.startsInsideLongString(code); end > 0 {
		blank(out, 0, end)
		at = end
	}
	for at < len(code) {
		if !l.openers[code[at]] {
			at++
			continue
		}
		at = l.maskAt(out, code, at)
	}
	return out
}

// maskAt blanks the comment or string that opens at at, if any, and returns where to
// continue.
func (l *language) maskAt(out []byte, code string, at int) int {
	rest := code[at:]
	for _, pair := range l.BlockComments {
		if strings.HasPrefix(rest, pair[0]) {
			end := closing(code, at+len(pair[0]), pair[1])
			blank(out, at, end)
			return end
		}
	}
	for _, c := range l.Comments {
		if strings.HasPrefix(rest, c) && !(l.Apart && at > 0 && strings.IndexByte(" \t\n;", code[at-1]) < 0) {
			end := lineEnd(code, at)
			blank(out, at, end)
			return end
		}
	}
	for _, q := range l.LongStrings {
		if strings.HasPrefix(rest, q) {
			return maskLong(out, code, at, q)
		}
	}
	for _, q := range l.Strings {
		if rest[0] == q[0] {
			end := stringEnd(code, at)
			blank(out, at+1, end-1)
			return end
		}
	}
	if l.Char != "" && rest[0] == l.Char[0] {
		return maskChar(out, code, at)
	}
	return at + 1
}

// maskLong blanks a string that may span lines. One that is never closed was more likely
// cut off in the fragment than the rest of the file is a string, so only its line is
// blanked.
func maskLong(out []byte, code string, at int, quote string) int {
	from := at + len(quote)
	end := strings.Index(code[from:], quote)
	if end < 0 {
		stop := lineEnd(code, at)
		blank(out, from, stop)
		return stop
	}
	blank(out, from, from+end)
	return from + end + len(quote)
}

// maskChar blanks a character literal such as '{', but not a Rust lifetime.
func maskChar(out []byte, code string, at int) int {
	end := at + 2
	if at+1 < len(code) && code[at+1] == '\\' {
		end++
	}
	for ; end < len(code) && end < at+8; end++ {
		if code[end] == '\'' {
			blank(out, at+1, end)
			return end + 1
		}
		if code[end] < 0x80 {
			break
		}
	}
	return at + 1
}

// startsInsideLongString guesses for Python whether a fragment with an odd number of
// triple quotes begins inside a docstring, which it does if nothing before the first
// quotes looks like code that could open one. It returns where the docstring ends,
// otherwise 0.
func (l *language) startsInsideLongString(code string) int {
	if l.Block != "indent" || len(l.LongStrings) == 0 {
		return 0
	}
	quote := l.LongStrings[0]
	first := strings.Index(code, quote)
	if first <= 0 || strings.Count(code, quote)%2 == 0 {
		return 0
	}
	before := code[:first]
	lineStart := strings.LastIndexByte(before, '\n') + 1
	opens := strings.TrimLeft(before[lineStart:], " \trRbBfFuU") != "" || strings.Contains(before, ":\n")
	rest := code[first+len(quote):]
	if opens || strings.TrimSpace(rest[:lineEnd(rest, 0)]) != "" {
		return 0
	}
	return first + len(quote)
}

func blank(out []byte, from, to int) {
	for i := from; i < to && i < len(out); i++ {
		if out[i] != '\n' {
			out[i] = ' '
		}
	}
}

// closing returns the offset after the next token from from, or the code's end.
func closing(code string, from int, token string) int {
	i := strings.Index(code[from:], token)
	if i < 0 {
		return len(code)
	}
	return from + i + len(token)
}

func lineEnd(code string, at int) int {
	if i := strings.IndexByte(code[at:], '\n'); i >= 0 {
		return at + i
	}
	return len(code)
}

// stringEnd returns the offset after the quote that closes the string opened at at, which
// is no later than the end of the line.
func stringEnd(code string, at int) int {
	quote := code[at]
	for i := at + 1; i < len(code); i++ {
		switch code[i] {
		case '\\':
			i++
		case quote:
			return i + 1
		case '\n':
			return i
		}
	}
	return len(code)
}
