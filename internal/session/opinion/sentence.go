package opinion

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// say is what an agent reads about a finding: the model's sentence where it reads like one of ours (AD-4).
// Where it does not, a sentence of ours that quotes the place is for reports, and plain is false: it says
// where to look and not what is the case, which is not worth an interrupt (JD-40).
func (r *FindingRules) say(f sessionevents.OpinionFinding, rule ClassRule) (message string, plain bool) {
	sentence := strings.Join(strings.Fields(f.Say), " ")
	if plain = r.speakable(sentence); !plain {
		sentence = fmt.Sprintf("%s in turn %d looks like something %s.", quote.Words(f.Quote, quotedWords), f.Turn, rule.Title)
	}
	if !strings.ContainsAny(sentence[len(sentence)-1:], ".!?") {
		sentence += "."
	}
	return sentence + " " + rule.Step, plain
}

// quotedWords is how much of its place a finding shows to the agent.
const quotedWords = 10

// speakable reports whether a model's sentence may be said in our name: plain words on one line,
// short enough, without what gives orders, runs or links (JD-40, AD-7).
func (r *FindingRules) speakable(sentence string) bool {
	words := len(strings.Fields(sentence))
	if words < 4 || words > r.SayWords || quote.Line(sentence) != sentence {
		return false
	}
	for _, c := range strings.ReplaceAll(sentence, "; ", ", ") { // prose may have a semicolon, not a list of commands
		if strings.ContainsRune("`<>[]{}#*|$\\@;=~^", c) || c > unicode.MaxLatin1 && !plainAbove(c) {
			return false
		}
	}
	lower := strings.ToLower(sentence)
	return !slices.ContainsFunc(r.RefusedWords, func(word string) bool { return holds(lower, word) })
}

// holds reports whether a sentence has a word, also in the plural, or several words or signs anywhere.
func holds(lower, word string) bool {
	if strings.ContainsFunc(word, func(c rune) bool { return !unicode.IsLetter(c) }) {
		return strings.Contains(lower, word)
	}
	return slices.ContainsFunc(strings.FieldsFunc(lower, func(c rune) bool { return !unicode.IsLetter(c) }), func(w string) bool {
		return strings.TrimSuffix(w, "s") == strings.TrimSuffix(word, "s")
	})
}

// plainAbove are the letters and marks beyond Latin-1 that a sentence may hold: typographic
// quotation marks and dashes, and letters of any script.
func plainAbove(c rune) bool {
	return strings.ContainsRune("‘’“”–—…", c) || unicode.IsLetter(c) || unicode.IsMark(c)
}
