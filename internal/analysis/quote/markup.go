package quote

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

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
