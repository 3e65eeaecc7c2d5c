package quotetest

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
)

// quotation is what is between marks of ours.
var quotation = pattern.Must("\"[^\"\n]*\"|`[^`\n]*`")

// word is a word of a sentence.
var word = pattern.Must(`[\pL\pN]+`)

// hump is where a word begins within an identifier.
var hump = pattern.Must(`(\p{Ll})(\p{Lu})`)

// run is the number of words of a hostile text that in a row are not an accident.
const run = 3

// Problem says how a text that a channel shows lets words of a hostile text pass for ours, "" if
// it does not: outside of quotation marks, as a line of their own, hidden, or as markup.
func Problem(shown string) string {
	if at := strings.IndexFunc(shown, unseen); at >= 0 {
		return fmt.Sprintf("it holds %q, which nobody sees", shown[at:at+1])
	}
	for _, line := range strings.Split(shown, "\n") {
		if tag := tags.FindString(line); tag != "" {
			return fmt.Sprintf("it opens a tag or speaks as somebody (%q): %q", tag, line)
		}
		if outside := quotation.ReplaceAllString(line, " ¦ "); ordered(outside) {
			return fmt.Sprintf("it says outside of quotation marks: %q", outside)
		}
	}
	return ""
}

// tags are what a page, a terminal or a model would obey.
var tags = pattern.Must(`(?i)</?(?:script|img|system|b>|h1|svg|user|a href|s>|tool_result|function_results|start_of_turn)|<\||<!|<<SYS|\x60\x60\x60|^\s*(?:system|human|assistant):`)

func unseen(r rune) bool {
	return r != '\n' && r != '\t' && unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Co) || r == 0xFE0F || r == 0x3164 || r == 0x2800 || r == '\u2028' || r == '\u2029'
}

// ordered reports whether a text has some words of the order in a row.
func ordered(text string) bool {
	text = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) { // an accent changes no word
			return -1
		}
		return r
	}, text)
	have := word.FindAllString(strings.ToLower(hump.ReplaceAllString(text, "$1 $2")), -1)
	all := word.FindAllString(strings.ToLower(order), -1)
	for i := 0; i+run <= len(all); i++ {
		want := strings.Join(all[i:i+run], " ")
		if strings.Contains(" "+strings.Join(have, " ")+" ", " "+want+" ") {
			return true
		}
	}
	return false
}
