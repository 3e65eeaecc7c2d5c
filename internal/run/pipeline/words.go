package pipeline

import (
	"slices"
	"strings"
	"unicode"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// words of a name: fix-review_2 and fixReview2 are fix, review, 2.
func words(name string) []string {
	var out []string
	var word strings.Builder
	end := func() {
		if word.Len() > 0 {
			out = append(out, word.String())
			word.Reset()
		}
	}
	lower := false
	for _, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			end()
		case unicode.IsUpper(r) && lower:
			end()
			word.WriteRune(unicode.ToLower(r))
		default:
			word.WriteRune(unicode.ToLower(r))
		}
		lower = unicode.IsLower(r) || unicode.IsDigit(r)
	}
	end()
	return out
}

// has reports whether a name contains one of the words.
func has(name string, list []string) bool {
	return slices.ContainsFunc(words(name), func(word string) bool { return slices.Contains(list, word) })
}

// same reports whether two names differ at most in case and punctuation.
func same(a, b string) bool { return a == b || slices.Equal(words(a), words(b)) && len(words(a)) > 0 }

// short bounds a text that quotes the input.
func short(s string) string {
	const most = 160
	return text.Cut(text.Valid(text.Line(s)), most)
}

// several lists at most so many things for people.
func several(names []string) string {
	const most = 8
	shown := make([]string, 0, most+1)
	for _, name := range names[:min(len(names), most)] {
		shown = append(shown, quote.Path(name))
	}
	if len(names) > most {
		shown = append(shown, "…")
	}
	return strings.Join(shown, ", ")
}
