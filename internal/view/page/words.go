package page

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// Plural returns a number with its noun, as [text.Count] does, and with separators: "1,760 commits".
func Plural(n int, one string, many ...string) string {
	_, noun, _ := strings.Cut(text.Count(n, one, many...), " ")
	return Count(n) + " " + noun
}

// Count formats a number with separators: "1,760".
func Count(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Dollars formats a sum; what was paid is never nothing.
func Dollars(usd float64) string {
	if usd > 0 && usd < 0.01 {
		return "< $0.01"
	}
	return fmt.Sprintf("$%.2f", usd)
}

// Wrap breaks text at spaces into lines of at most width characters (0 or less: one line); a longer word
// gets a line of its own.
func Wrap(text string, width int) []string {
	if width <= 0 {
		return []string{text}
	}
	var lines []string
	var line string
	used := 0
	for _, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		if used > 0 && used+1+n > width {
			lines = append(lines, line)
			line, used = "", 0
		}
		if used > 0 {
			line += " "
			used++
		}
		line += word
		used += n
	}
	return append(lines, line)
}
