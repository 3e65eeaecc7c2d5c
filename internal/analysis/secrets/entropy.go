package secrets

import "math"

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
