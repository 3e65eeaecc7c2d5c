package settle

import "strings"

// Sentence returns a text that ends with a full stop.
func Sentence(text string) string {
	if text == "" || strings.ContainsAny(text[len(text)-1:], ".!?") {
		return text
	}
	return text + "."
}
