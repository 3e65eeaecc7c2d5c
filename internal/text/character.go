package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// IsDigit reports whether c is a decimal digit.
func IsDigit(c byte) bool { return c-'0' <= 9 }

// IsLetter reports whether c is an ASCII letter.
func IsLetter(c byte) bool { return c|0x20-'a' <= 25 }

// IsBlank reports whether c is white space.
func IsBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// IsWord reports whether c is an ASCII letter, a digit or "_", as \w in a pattern.
func IsWord(c byte) bool { return IsLetter(c) || IsDigit(c) || c == '_' }

// IsName is [IsWord], or part of a character that is not ASCII.
func IsName(c byte) bool { return IsWord(c) || c >= 0x80 }

// NotWord reports whether r is neither a letter nor a digit of any script, nor "_": it
// separates words.
func NotWord(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// HasWord reports whether text contains word between characters that separate words, or
// between letters of a script that writes none: "load_orders를" contains "load_orders".
func HasWord(text, word string) bool {
	if word == "" {
		return false
	}
	for from := 0; ; {
		at := strings.Index(text[from:], word)
		if at < 0 {
			return false
		}
		at += from
		before, size := utf8.DecodeLastRuneInString(text[:at])
		after, rest := utf8.DecodeRuneInString(text[at+len(word):])
		if (size == 0 || separates(before)) && (rest == 0 || separates(after)) {
			return true
		}
		from = at + 1
	}
}

func separates(r rune) bool {
	return NotWord(r) || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}
