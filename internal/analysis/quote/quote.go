package quote

import (
	"strings"
	"unicode/utf8"
)

// Limit is the maximum number of characters quoted from one foreign value.
const Limit = 60

// LongLimit is the limit of a [Passage].
const LongLimit = 240

// ellipsis marks an omission.
const ellipsis = "…"

// Text returns foreign words between quotation marks.
func Text(text string) string { return `"` + Plain(text) + `"` }

// Passage returns a foreign text that a person decides on, such as the reading of a task,
// between quotation marks: at most [LongLimit] characters.
func Passage(text string) string { return `"` + cut(withoutMarkup(line(text)), LongLimit) + `"` }

// Words returns at most limit foreign words between quotation marks.
func Words(text string, limit int) string { return `"` + cut(words(Plain(text), limit), Limit) + `"` }

// Code returns a command or a piece of code between backticks.
func Code(text string) string { return "`" + Plain(text) + "`" }

// Plain returns foreign words for use between our quotation marks. The result contains
// none.
func Plain(text string) string { return cut(withoutMarkup(line(text)), Limit) }

// Name returns the name of a symbol, agent, rule or the like, between quotation marks if
// it could be read as words.
func Name(name string) string {
	plain := Plain(name)
	if isName(plain) {
		return plain
	}
	return `"` + plain + `"`
}

// Expression returns a piece of code unchanged if it is a name, otherwise between
// backticks.
func Expression(code string) string {
	if plain := Plain(code); isName(plain) {
		return plain
	}
	return Code(code)
}

// Line returns our message as one line that is safe everywhere: what it quotes opens no
// tag, no fence and no terminal sequence, and mentions nobody.
func Line(text string) string { return openers.Replace(withoutTags(line(text))) }

// openers replaces what a message must not contain even inside quotes.
var openers = strings.NewReplacer("```", "'''", "@everyone", "everyone", "@here", "here", "@channel", "channel")

// Visible returns a text on one line without invisible characters and terminal commands.
// Unlike [Line] it keeps markup, for places that escape it themselves.
func Visible(text string) string { return line(text) }

// words keeps at most limit words of a text without line breaks.
func words(text string, limit int) string {
	all := strings.Fields(text)
	if len(all) <= limit {
		return text
	}
	return strings.Join(all[:limit], " ") + ellipsis
}

// cut keeps at most limit characters and marks the omitted end.
func cut(text string, limit int) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	runes := []rune(text)[:limit-1]
	return strings.TrimRight(strings.TrimSuffix(string(runes), ellipsis), " ") + ellipsis
}
