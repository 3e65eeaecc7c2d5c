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
	"unicode"
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

// marks replaces quotation marks and backticks, which would end ours, and everything that
// makes links, images and mentions.
var marks = strings.NewReplacer(
	`"`, "'", "`", "'", "“", "'", "”", "'", "„", "'", "‟", "'", "«", "'", "»", "'", "＂", "'", "〝", "'", "〞", "'",
	"](", "] (", "][", "] [", "![", "[", "@everyone", "everyone", "@here", "here", "@channel", "channel",
)

// withoutMarkup returns a line that cannot be read as markup or as the end of a
// quotation.
func withoutMarkup(text string) string {
	text = marks.Replace(withoutTags(text))
	for strings.Contains(text, "''") {
		text = strings.ReplaceAll(text, "''", "'")
	}
	return withoutMarks(text)
}

// code returns a line of code that cannot be read as markup or as the end of a code span. Its quotation marks
// stay: an empty string is `""`.
func code(text string) string {
	return withoutMarks(strings.ReplaceAll(marks.Replace(strings.ReplaceAll(withoutTags(text), `"`, kept)), kept, `"`))
}

// kept stands for a quotation mark; no visible line has it.
const kept = "\x00"

func withoutMarks(text string) string {
	for _, mark := range []string{"**", "~~", "||"} {
		text = withoutEmphasis(text, mark)
	}
	return withoutOpener(text)
}

// withoutEmphasis removes pairs of a mark around words, but keeps the pattern "**/*.go".
func withoutEmphasis(text, mark string) string {
	before, rest, found := strings.Cut(text, mark)
	for found {
		within, after, closed := strings.Cut(rest, mark)
		first, _ := utf8.DecodeRuneInString(within)
		last, _ := utf8.DecodeLastRuneInString(within)
		if !closed || !unicode.IsLetter(first) || last == ' ' || last == '/' {
			before, text = before+mark, rest
		} else {
			before, text = before+within, after
		}
		var part string
		part, rest, found = strings.Cut(text, mark)
		before += part
	}
	return before
}

// withoutOpener removes what would open a heading, a list, a quotation or a table.
func withoutOpener(text string) string {
	for {
		first, rest, more := strings.Cut(text, " ")
		if !more || strings.Trim(first, "#>*+-=|~_") != "" {
			return text
		}
		text = rest
	}
}

// withoutTags replaces the brackets of tags: "<b>" becomes "‹b›", while "a < b" and "->"
// are kept.
func withoutTags(text string) string {
	if !strings.ContainsAny(text, "<＜") {
		return text
	}
	var out strings.Builder
	open := 0
	for i, r := range text {
		next, _ := utf8.DecodeRuneInString(text[i+utf8.RuneLen(r):])
		switch {
		case r == '<' && opens(next), r == '＜':
			open++
			r = '‹'
		case r == '>' && open > 0, r == '＞':
			open = max(open-1, 0)
			r = '›'
		}
		out.WriteRune(r)
	}
	return out.String()
}

// opens reports whether a character after "<" makes it a tag, a comment, a mention or a
// control token of a model.
func opens(next rune) bool {
	return unicode.IsLetter(next) || strings.ContainsRune("/!?%|@#<:$", next)
}
