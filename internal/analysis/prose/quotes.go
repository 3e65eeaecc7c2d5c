package prose

// maxQuote is the maximum length of a quote in bytes; a mark that is not closed within it
// means something else, such as inches.
const maxQuote = 300

// maskQuotes overwrites quoted text, within a line.
func maskQuotes(text []byte) string {
	for at := 0; at < len(text); at++ {
		switch text[at] {
		case '"':
			at = maskUntil(text, at, func(i int) bool { return text[i] == '"' })
		case '\'':
			if opensQuote(text, at) {
				at = maskUntil(text, at, func(i int) bool { return closesQuote(text, i) })
			}
		}
	}
	return string(text)
}

func maskUntil(text []byte, open int, closes func(int) bool) int {
	for i := open + 1; i < len(text) && i-open <= maxQuote && text[i] != '\n'; i++ {
		if closes(i) {
			for j := open + 1; j < i; j++ {
				text[j] = Mask
			}
			return i
		}
	}
	return open
}

// opensQuote and closesQuote distinguish a quotation mark from an apostrophe: it has
// white space or a bracket outside and a word inside.
func opensQuote(text []byte, at int) bool {
	outside := at == 0 || isOneOf(text[at-1], " \n(:[")
	return outside && at+1 < len(text) && !isOneOf(text[at+1], " \n'")
}

func closesQuote(text []byte, at int) bool {
	if text[at] != '\'' || isOneOf(text[at-1], " \n") {
		return false
	}
	return at+1 == len(text) || isOneOf(text[at+1], " \n.,;:!?)]")
}

func isOneOf(c byte, set string) bool {
	for i := range len(set) {
		if set[i] == c {
			return true
		}
	}
	return false
}
