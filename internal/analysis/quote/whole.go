package quote

import (
	"strings"
	"unicode/utf8"
)

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
	plain, fits := whole(text, limit)
	if !fits {
		return other
	}
	return `"` + plain + `"`
}

// WholeCode returns a command or a piece of code if all of it fits into limit words: a
// name unchanged, anything else between backticks. Otherwise it returns other.
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

// whole returns a text for use between our marks, and whether it is complete.
func whole(text string, limit int) (string, bool) {
	plain := withoutMarkup(line(text))
	fits := plain != "" && !strings.HasSuffix(plain, ellipsis) && utf8.RuneCountInString(plain) <= wholeLimit && len(strings.Fields(plain)) <= limit
	return plain, fits
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
