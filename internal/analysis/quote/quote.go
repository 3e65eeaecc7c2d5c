package quote

import (
	"strings"
	"unicode/utf8"
)

// Limit is the greatest number of characters that is quoted of one foreign value.
const Limit = 60

// LongLimit is the limit of a [Passage].
const LongLimit = 240

// ellipsis marks what was left out.
const ellipsis = "…"

// Text returns words of others between quotation marks.
func Text(text string) string { return `"` + Plain(text) + `"` }

// Passage returns a text of others that a person decides on, such as the reading of a task,
// between quotation marks: at most [LongLimit] characters.
func Passage(text string) string { return `"` + cut(withoutMarkup(line(text)), LongLimit) + `"` }

// Words returns at most so many words of others between quotation marks.
func Words(text string, limit int) string { return `"` + cut(words(Plain(text), limit), Limit) + `"` }

// Code returns a command or a piece of code between backticks.
func Code(text string) string { return "`" + Plain(text) + "`" }

// Plain returns words of others for a place between quotation marks of ours. It holds none.
func Plain(text string) string { return cut(withoutMarkup(line(text)), Limit) }

// Name returns the name of a symbol, agent, rule or the like as it is, or between quotation
// marks where it could be read as words.
func Name(name string) string {
	plain := Plain(name)
	if isName(plain) {
		return plain
	}
	return `"` + plain + `"`
}

// Expression returns a piece of code as it is where it is a name, else between backticks.
func Expression(code string) string {
	if plain := Plain(code); isName(plain) {
		return plain
	}
	return Code(code)
}

// Line returns a message of ours as one line that shows what it is everywhere: what it quotes
// opens no tag, no fence and no terminal sequence, and calls nobody.
func Line(text string) string { return openers.Replace(withoutTags(line(text))) }

// openers are what a message must not hold even where it quotes.
var openers = strings.NewReplacer("```", "'''", "@everyone", "everyone", "@here", "here", "@channel", "channel")

// Visible returns a text on one line without what shows nothing or commands a terminal. Unlike
// [Line] it keeps markup: for places that escape their own.
func Visible(text string) string { return line(text) }

// words keeps at most so many words of a text without line breaks.
func words(text string, limit int) string {
	all := strings.Fields(text)
	if len(all) <= limit {
		return text
	}
	return strings.Join(all[:limit], " ") + ellipsis
}

// cut keeps at most limit characters and marks the end that is left out.
func cut(text string, limit int) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	runes := []rune(text)[:limit-1]
	return strings.TrimRight(strings.TrimSuffix(string(runes), ellipsis), " ") + ellipsis
}
