package rules

// Lookup returns a list of rule data as a set of words.
func Lookup(words []string) map[string]bool {
	out := make(map[string]bool, len(words))
	for _, w := range words {
		out[w] = true
	}
	return out
}
