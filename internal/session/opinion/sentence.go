package opinion

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// say is what an agent reads about a finding: the model's sentence where it reads like one of ours,
// else a sentence of ours that quotes the place (AD-4).
func (r *FindingRules) say(f sessionevents.OpinionFinding, rule ClassRule) string {
	sentence := strings.Join(strings.Fields(f.Say), " ")
	if !r.speakable(sentence) {
		sentence = fmt.Sprintf("%s in turn %d looks like something %s.", quote.Words(f.Quote, quotedWords), f.Turn, rule.Title)
	}
	if !strings.ContainsAny(sentence[len(sentence)-1:], ".!?") {
		sentence += "."
	}
	return sentence + " " + rule.Step
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
	for _, c := range sentence {
		if strings.ContainsRune("`<>[]{}#*|$\\@;=~^", c) || c > unicode.MaxLatin1 && !plainAbove(c) {
			return false
		}
	}
	lower := strings.ToLower(sentence)
	for _, word := range r.RefusedWords {
		if strings.Contains(lower, word) {
			return false
		}
	}
	return true
}

// plainAbove are the letters and marks beyond Latin-1 that a sentence may hold: typographic
// quotation marks and dashes, and letters of any script.
func plainAbove(c rune) bool {
	return strings.ContainsRune("‘’“”–—…", c) || unicode.IsLetter(c) || unicode.IsMark(c)
}
