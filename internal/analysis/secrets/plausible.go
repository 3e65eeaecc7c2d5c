package secrets

import (
	"math"
	"sort"
)

// Entropy is the Shannon entropy of a value in bits per byte, as in [Finding]:
// equal values have equal ones.
func Entropy(value string) float64 { return entropy(value) }

// entropy is the Shannon entropy of the value in bits per byte.
func entropy(value string) float64 {
	if value == "" {
		return 0
	}
	var counts [256]int
	for i := 0; i < len(value); i++ {
		counts[value[i]]++
	}
	sum := 0.0
	for _, n := range counts {
		if n > 0 {
			share := float64(n) / float64(len(value))
			sum -= share * math.Log2(share)
		}
	}
	return sum
}

// changes counts the places where a value goes from one kind of character to another; the humps of
// a camelCase word and separators do not count. Random values have many, words and identifiers have
// few.
func changes(value string) int {
	n := 0
	for i := 1; i < len(value); i++ {
		a, b := kindOf(value[i-1]), kindOf(value[i])
		hump := a == 'U' && b == 'l' || a == 'l' && b == 'U' && i+1 < len(value) && kindOf(value[i+1]) == 'l'
		if a != b && a != 'p' && b != 'p' && !hump {
			n++
		}
	}
	return n
}

func kindOf(c byte) byte {
	switch {
	case c >= 'a' && c <= 'z':
		return 'l'
	case c >= 'A' && c <= 'Z':
		return 'U'
	case c >= '0' && c <= '9':
		return 'd'
	default:
		return 'p'
	}
}

// generated reports whether a value looks made by a machine.
func generated(value string) bool {
	n := changes(value)
	return n >= 3 && n*8 >= len(value) || len(value) >= 20 && n >= 5
}

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
