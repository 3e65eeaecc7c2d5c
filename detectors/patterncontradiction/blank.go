package patterncontradiction

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// blank is a value that a person left open in a text they asked for: "Hello <user name>, welcome".
type blank struct {
	Name   string `json:"n"`
	Before string `json:"b,omitempty"` // the words of the text before it, lower case
	After  string `json:"a,omitempty"` // and after it
	Turn   int    `json:"t"`
}

var (
	// openValue is a name in angle brackets that is not a tag: of small letters, with or without blanks.
	openValue = pattern.Must(`<([a-z][a-z0-9]*(?:[ _-][a-z0-9]+)*)>`)
	// textWord is a word of a text, and what separates two texts.
	textWord = pattern.Must(`[\pL\pN][\pL\pN'’._-]*|["“”` + "`" + `:\n<>{}]`)
	// literalText is what fills a blank without taking it from anywhere.
	literalText = `([\pL\pN][\pL\pN ._-]{0,40}?)`
)

// blankWords is how many words beside a blank are compared, and how many there must be to know the
// text by.
const (
	blankWords  = 4
	knownByThem = 3
)

// blanks reads the blanks of a person's message; code blocks show code.
func (t *turn) blanks(text string) {
	for i, part := range strings.Split(text, "```") {
		if i%2 == 1 {
			continue
		}
		for _, m := range openValue.FindAllStringSubmatchIndex(part, -1) {
			name := part[m[2]:m[3]]
			if t.tag(name, part) {
				continue
			}
			b := blank{Name: name, Turn: t.Pass.Turn.Turn, Before: lastWords(part[:m[0]]), After: firstWords(part[m[1]:])}
			if words := len(strings.Fields(b.Before)) + len(strings.Fields(b.After)); words >= knownByThem && b.Before != "" {
				t.memory.Blanks = bounded(t.memory.Blanks, b, t.Limits.Named)
			}
		}
	}
}

// tag: the name is closed like an element, or is one of HTML's.
func (t *turn) tag(name, text string) bool {
	return strings.Contains(text, "</"+name+">") || slices.Contains(t.Tags, name)
}

// lastWords are the words of a text that end it, without those of another text before it.
func lastWords(text string) string {
	all := textWord.FindAllString(text, -1)
	from := len(all)
	for from > 0 && len(all)-from < blankWords && isTextWord(all[from-1]) {
		from--
	}
	return strings.ToLower(strings.Join(all[from:], " "))
}

func firstWords(text string) string {
	all := textWord.FindAllString(text, -1)
	to := 0
	for to < len(all) && to < blankWords && isTextWord(all[to]) {
		to++
	}
	return strings.ToLower(strings.Join(all[:to], " "))
}

func isTextWord(token string) bool { return !strings.ContainsAny(token, "\"“”`:\n<>{}") }

// filled reports a blank that an edit fills with a literal of its own: the person asked for a value.
func (t *turn) filled(e *edit) {
	if e.exempt || e.ecosystem == "" {
		return
	}
	for _, b := range t.memory.Blanks {
		at, literal := b.in(e.text)
		if at < 0 || strings.EqualFold(literal, b.Name) || t.userSays(strings.ToLower(literal)) {
			continue
		}
		evidence := detect.At(e.segment, at, len(literal))
		evidence.ConflictsWith = &sessionevents.EarlierEvent{Turn: b.Turn, What: b.Before + " <" + b.Name + "> " + b.After}
		t.report(contradiction{
			subclass: "literal", thing: literal, established: b.Name, cost: contraryCost, confidence: t.Confidence.Literal, request: true, evidence: evidence,
			message: fmt.Sprintf("The user left the %s open (turn %d); %s writes %s for every case. Take the value from where it is kept.",
				quote.Plain(b.Name), b.Turn, quote.Path(e.file), quote.Whole(literal, 6, "one value")),
			reason: "A value that the user left open in a text is written as a constant.",
		})
	}
}

// userSays: a person used the words.
func (t *turn) userSays(words string) bool {
	return slices.ContainsFunc(t.users(), func(s sentence) bool { return strings.Contains(s.text, words) })
}

// in finds the literal that stands for the blank in code that holds the words around it, -1 for none.
func (b *blank) in(text string) (at int, literal string) {
	end := `["'` + "`" + `]`
	if b.After != "" {
		end = `[\s,.:;!-]+(?i:` + wordsPattern(b.After) + `)`
	}
	m := pattern.Must(`\b(?i:` + wordsPattern(b.Before) + `)\s+` + literalText + end).FindStringSubmatchIndex(text)
	if m == nil {
		return -1, ""
	}
	return m[2], text[m[2]:m[3]]
}

func wordsPattern(words string) string {
	list := strings.Fields(words)
	for i := range list {
		list[i] = regexp.QuoteMeta(list[i])
	}
	return strings.Join(list, `[^\pL\pN]+`)
}
