package text

import "unicode"

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
