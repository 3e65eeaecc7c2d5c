package opinion

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// say returns what an agent reads about a finding: the model's sentence if it reads like
// one of ours (AD-4). Otherwise it returns a sentence of ours that quotes the place, for
// reports; plain is then false, since it says where to look but not what is wrong, which
// is not worth an interrupt (JD-40).
func (r *FindingRules) say(f sessionevents.OpinionFinding, rule ClassRule) (message string, plain bool) {
	sentence := text.Line(f.Say)
	if plain = r.speakable(sentence); !plain {
		sentence = fmt.Sprintf("%s in turn %d looks like something %s.", quote.Words(f.Quote, quotedWords), f.Turn, rule.Title)
	}
	if !strings.ContainsAny(sentence[len(sentence)-1:], ".!?") {
		sentence += "."
	}
	return sentence + " " + rule.Step, plain
}

// quotedWords is the number of words of its place that a finding shows to the agent.
const quotedWords = 10

// speakable reports whether a model's sentence may be sent in our name: plain words on
// one line, short enough, without instructions, commands or links (JD-40, AD-7).
func (r *FindingRules) speakable(sentence string) bool {
	words := len(strings.Fields(sentence))
	if words < 4 || words > r.SayWords || quote.Line(sentence) != sentence {
		return false
	}
	for _, c := range strings.ReplaceAll(sentence, "; ", ", ") { // prose may have a semicolon, commands may not
		if strings.ContainsRune("`<>[]{}#*|$\\@;=~^", c) || c > unicode.MaxLatin1 && !plainAbove(c) {
			return false
		}
	}
	lower := strings.ToLower(sentence)
	return !slices.ContainsFunc(r.RefusedWords, func(word string) bool { return holds(lower, word) })
}

// holds reports whether a sentence contains a word, also in the plural, or several words
// or signs anywhere.
func holds(lower, word string) bool {
	if strings.ContainsFunc(word, func(c rune) bool { return !unicode.IsLetter(c) }) {
		return strings.Contains(lower, word)
	}
	return slices.ContainsFunc(strings.FieldsFunc(lower, func(c rune) bool { return !unicode.IsLetter(c) }), func(w string) bool {
		return strings.TrimSuffix(w, "s") == strings.TrimSuffix(word, "s")
	})
}

// plainAbove reports whether a character beyond Latin-1 may occur in a sentence:
// typographic quotation marks and dashes, and letters of any script.
func plainAbove(c rune) bool {
	return strings.ContainsRune("‘’“”–—…", c) || unicode.IsLetter(c) || unicode.IsMark(c)
}
