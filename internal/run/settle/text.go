package settle

import (
	"strings"
	"unicode/utf8"
)

// Shortened returns a text cut to a number of bytes.
func Shortened(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit] + "…"
}

// Sentence returns a text that ends with a full stop.
func Sentence(text string) string {
	if text == "" || strings.ContainsAny(text[len(text)-1:], ".!?") {
		return text
	}
	return text + "."
}
