package quote

import (
	"strings"
	"unicode/utf8"
)

// wholeLimit is the greatest number of characters of a quotation that is shown whole.
const wholeLimit = 100

// commandWords and commandLimit bound a command that is recommended.
const (
	commandWords = 12
	commandLimit = 120
)

// Whole returns words of others between quotation marks where all of them fit into so many words,
// else other, a name for them: a part of a sentence may say something else than the whole (JD-40).
func Whole(text string, limit int, other string) string {
	plain, fits := whole(text, limit)
	if !fits {
		return other
	}
	return `"` + plain + `"`
}

// WholeCode returns a command or a piece of code where all of it fits into so many words: a name as
// it is, anything else between backticks. Else it returns other.
func WholeCode(text string, limit int, other string) string {
	plain, fits := whole(text, limit)
	switch {
	case !fits:
		return other
	case isName(plain):
		return plain
	}
	return "`" + plain + "`"
}

// whole returns a text for a place between marks of ours, and whether nothing is left out of it.
func whole(text string, limit int) (string, bool) {
	plain := withoutMarkup(line(text))
	fits := plain != "" && !strings.HasSuffix(plain, ellipsis) && utf8.RuneCountInString(plain) <= wholeLimit && len(strings.Fields(plain)) <= limit
	return plain, fits
}

// Command returns a command that is recommended, between backticks, and whether it can be shown: it
// is complete, and runs as it is printed (JD-40). Double quotation marks become single ones where the
// shell reads both alike.
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
