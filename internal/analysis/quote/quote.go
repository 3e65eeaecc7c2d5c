// Package quote inserts foreign text into ours (DP-20): paths, names, commands, errors,
// conventions, and anything else from an agent, a repository or a tool.
//
// Its functions return one line of at most [Limit] characters without control,
// bidirectional and invisible characters, terminal sequences and markup. Text that could
// be read as a sentence is put between quotation marks or backticks, and contains neither
// of them, so that foreign text cannot be read as our instruction. They are applied where
// a foreign value enters a text; [Line] is a second safeguard, for complete messages
// where they leave.
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

// wholeLimit is the maximum number of characters of a quotation that is shown in full.
const wholeLimit = 100

// commandWords and commandLimit bound a recommended command.
const (
	commandWords = 12
	commandLimit = 120
)

// Whole returns foreign words between quotation marks if all of them fit into limit
// words, otherwise other, a name for them, since a part of a sentence may have another
// meaning than the whole (JD-40).
func Whole(text string, limit int, other string) string {
	plain := withoutMarkup(line(text))
	if !fits(plain, limit) {
		return other
	}
	return `"` + plain + `"`
}

// WholeCode returns a command or a piece of code if all of it fits into limit words: a
// name unchanged, anything else between backticks. Otherwise it returns other.
func WholeCode(text string, limit int, other string) string {
	plain := code(line(text))
	switch {
	case !fits(plain, limit):
		return other
	case isName(plain):
		return plain
	}
	return "`" + plain + "`"
}

// fits reports whether a text is complete and short enough to be shown.
func fits(plain string, limit int) bool {
	return plain != "" && !strings.HasSuffix(plain, ellipsis) && utf8.RuneCountInString(plain) <= wholeLimit && len(strings.Fields(plain)) <= limit
}

// Command returns a recommended command between backticks, and whether it can be shown:
// it must be complete and run as printed (JD-40). Double quotation marks become single
// ones where the shell treats both alike.
func Command(text string) (string, bool) {
	shown := line(text)
	if strings.Contains(shown, `"`) {
		if strings.ContainsAny(shown, "'$\\!") {
			return "", false
		}
		shown = strings.ReplaceAll(shown, `"`, "'")
	}
	switch {
	case shown == "", strings.ContainsAny(text, "\n`…‹›"), strings.Contains(shown, "<<"), withoutTags(shown) != shown:
		return "", false
	case utf8.RuneCountInString(shown) > commandLimit, len(strings.Fields(shown)) > commandWords:
		return "", false
	}
	return "`" + shown + "`", true
}
