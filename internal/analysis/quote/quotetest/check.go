package quotetest

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
)

// quotation matches text between our marks.
var quotation = pattern.Must("\"[^\"\n]*\"|`[^`\n]*`")

// word matches a word of a sentence.
var word = pattern.Must(`[\pL\pN]+`)

// hump matches where a word begins within an identifier.
var hump = pattern.Must(`(\p{Ll})(\p{Lu})`)

// run is the number of consecutive words of a hostile text that cannot be a coincidence.
const run = 3

// Problem describes how a text shown by a channel presents words of a hostile text as
// ours: outside quotation marks, on a line of their own, hidden, or as markup. It returns
// "" if it does not.
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

// tags matches what a page, a terminal or a model would interpret.
var tags = pattern.Must(`(?i)</?(?:script|img|system|b>|h1|svg|user|a href|s>|tool_result|function_results|start_of_turn)|<\||<!|<<SYS|\x60\x60\x60|^\s*(?:system|human|assistant):`)

func unseen(r rune) bool {
	return r != '\n' && r != '\t' && unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Co) || r == 0xFE0F || r == 0x3164 || r == 0x2800 || r == '\u2028' || r == '\u2029'
}

// ordered reports whether a text contains several consecutive words of the order.
func ordered(text string) bool {
	text = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) { // an accent does not change a word
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
