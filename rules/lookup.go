package rules

// Lookup is a list of rule data for asking whether it holds a word.
func Lookup(words []string) map[string]bool {
	out := make(map[string]bool, len(words))
	for _, w := range words {
		out[w] = true
	}
	return out
}
