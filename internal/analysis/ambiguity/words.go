package ambiguity

import (
	"strings"
	"unicode"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
)

// word is one word of a sentence; masked code and quotes count as a word.
type word struct {
	text  string
	lower string
	from  int  // bytes into the sentence
	stop  bool // followed by a comma, semicolon, colon or dash, which ends a clause
}

// code reports whether the word replaces code or a quote.
func (w word) code() bool { return strings.IndexByte(w.text, prose.Mask) >= 0 }

// name reports whether the word is written like something in a program: a path, an
// identifier, a number, a capitalized abbreviation.
func (w word) name() bool {
	if w.code() || strings.ContainsAny(w.text, "_/.()0123456789") {
		return true
	}
	upper := 0
	for i, r := range w.text {
		if unicode.IsUpper(r) {
			if upper++; i > 0 {
				return true // getUser, API
			}
		}
	}
	return false
}

// split returns the first words of a sentence; people do not write longer ones.
func split(sentence string, most int) []word {
	var out []word
	for at := 0; at < len(sentence) && len(out) < most; {
		if sentence[at] == ' ' {
			at++
			continue
		}
		end := at
		for end < len(sentence) && sentence[end] != ' ' {
			end++
		}
		out = appendWord(out, sentence, at, end)
		at = end
	}
	return out
}

const around = `.,;:!?()[]{}"'` + "`" + `*_-–—<>`

func appendWord(out []word, sentence string, from, to int) []word {
	token := sentence[from:to]
	core := strings.TrimLeft(token, around)
	lead := len(token) - len(core)
	core = strings.TrimRight(core, around)
	tail := token[lead+len(core):]
	if core == "" { // punctuation only: a dash, a bracket
		if len(out) > 0 && !strings.ContainsAny(token, `"'`) {
			out[len(out)-1].stop = true
		}
		return out
	}
	return append(out, word{text: core, lower: strings.ToLower(core), from: from + lead, stop: strings.ContainsAny(tail, ".,;:!?)–—")})
}
