package secrets

import "sort"

// plausible reports whether text[from:end] holds a word that could have a look. It saves most of the
// searches for values that only their place makes a secret: their keywords are common words, values
// of that look are rare.
func (sc *providers) plausible(look Look, from, end int) bool {
	var words []int
	switch look {
	case LookChosen:
		sc.readWords()
		words = sc.chosenWords
	case LookGenerated, LookCookie:
		sc.readWords()
		words = sc.longWords
	default:
		return true
	}
	i := sort.SearchInts(words, from) // the ends of words
	return i < len(words) && (words[i] <= end || i+1 < len(words) && words[i] < end+maximumName)
}

// readWords notes once where the words end that could be chosen passwords or tokens.
func (sc *providers) readWords() {
	if sc.wordsRead {
		return
	}
	sc.wordsRead = true
	letters, marks, upper, start := 0, 0, 0, 0
	for i := 0; i <= len(sc.text); i++ {
		var class byte
		if i < len(sc.text) {
			class = wordClasses[sc.text[i]]
		}
		switch class {
		case 'U':
			upper++
			letters++
		case 'l':
			letters++
		case 'd', 's':
			marks++
		case 'p':
		default:
			if letters >= 3 && marks > 0 && i-start >= 6 {
				sc.chosenWords = append(sc.chosenWords, i)
			}
			if i-start >= minimumGenerated && (marks > 0 || upper >= 3) {
				sc.longWords = append(sc.longWords, i)
			}
			letters, marks, upper, start = 0, 0, 0, i+1
		}
	}
}

// wordClasses are the kinds of bytes of words: letters, digits, signs of passwords and others; 0
// ends a word.
var wordClasses = func() (classes [256]byte) {
	for c := byte('!'); c <= '~'; c++ {
		classes[c] = kindOf(c)
	}
	for _, c := range []byte(strongSigns) {
		classes[c] = 's'
	}
	for _, c := range []byte("\"'`<>|,;()[]{}") {
		classes[c] = 0
	}
	return classes
}()
