package patterncontradiction

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// limits finds numbers of the code that are greater than a person allows for the same thing: "at most 10,000
// rows" and `batchRows = 50000`. A number of something else is left alone.
type limits struct {
	*turn
	book *book
	read bool
	list []limit
}

// limit is a figure that a person gives as the greatest one.
type limit struct {
	most  float64
	thing string // the stem of what it counts: "row", of the subject where that is a unit: "timeout"
	unit  string // the stem of the unit, "" for none
	lines bool   // it counts lines of text
	text  string
	turn  int
}

// maxLimited is how long a sentence with a limit may be, in bytes: longer ones describe.
const maxLimited = 200

// stated returns the limits of the person's requests, read once in a turn.
func (k *limits) stated() []limit {
	if k.read {
		return k.list
	}
	k.read = true
	for _, request := range k.Baseline().Requests {
		if !k.Limit.MatchString(request.Text) {
			continue
		}
		for _, sentence := range prose.Sentences(request.Text) {
			if len(sentence.Text) <= maxLimited && !strings.Contains(sentence.Text, "?") {
				k.limitIn(sentence.Text, request.Turn)
			}
		}
	}
	return k.list
}

// limitIn reads the limit of a sentence.
func (k *limits) limitIn(sentence string, turn int) {
	m := k.Limit.FindStringSubmatchIndex(sentence)
	if m == nil || k.LimitReports.MatchString(sentence[m[1]:]) {
		return
	}
	l := limit{text: sentence, turn: turn}
	var ok bool
	if l.most, ok = figure(sentence[m[2]:m[3]]); !ok || m[4] < 0 {
		return
	}
	noun := strings.ToLower(sentence[m[4]:m[5]])
	if l.thing = prose.Stem(noun); k.LimitUnits[noun] {
		l.unit, l.thing = l.thing, ""
		for _, word := range similarity.Words(sentence[:m[0]]) { // "The timeout must not exceed 30 seconds"
			if word = strings.ToLower(word); !k.LimitFiller[word] {
				l.thing = prose.Stem(word)
			}
		}
	}
	if l.lines = k.LimitLines[noun]; l.thing != "" {
		k.list = append(k.list, l)
	}
}

// figure reads a number in which groups of three digits may be separated.
func figure(text string) (float64, bool) {
	groups := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(".,'_ ", r) })
	if len(groups) > 1 && !slices.ContainsFunc(groups[1:], func(g string) bool { return len(g) != 3 }) {
		text = strings.Join(groups, "")
	}
	n, err := strconv.ParseFloat(strings.ReplaceAll(text, ",", "."), 64)
	return n, err == nil
}

// exceeds judges the lines that an edit adds.
func (k *limits) exceeds(e *edit) {
	if e.test || e.text == "" || len(k.stated()) == 0 {
		return
	}
	for i := range k.list {
		l := &k.list[i]
		if l.lines && strings.Contains(l.text, e.file) && e.segment.Diff.Op == sessionevents.DiffCreate {
			if n := len(strings.Split(strings.TrimSpace(e.text), "\n")); float64(n) > l.most {
				k.over(e, l, e.file, fmt.Sprintf("%s has %d lines", quote.Path(e.file), n), e.firstLine())
			}
			continue
		}
		if e.exempt {
			continue
		}
		for line := range strings.Lines(e.text) {
			for _, m := range k.Assigned.FindAllStringSubmatch(line, 4) {
				if n, ok := figure(m[2]); ok && n > l.most && l.of(m[1]) {
					act := fmt.Sprintf("%s is set to %s in %s", quote.Name(m[1]), m[2], quote.Path(e.file))
					k.over(e, l, m[1], act, line)
				}
			}
		}
	}
}

// of reports whether a name is of what a limit counts: its first or last word, with the unit where there is one.
func (l *limit) of(name string) bool {
	words := similarity.Words(name)
	for i := range words {
		words[i] = prose.Stem(words[i])
	}
	if len(words) == 0 || l.unit != "" && !slices.Contains(words, l.unit) {
		return false
	}
	return l.unit != "" && slices.Contains(words, l.thing) || words[0] == l.thing || words[len(words)-1] == l.thing
}

func (k *limits) over(e *edit, l *limit, thing, act, line string) {
	evidence := detect.At(e.segment, max(strings.Index(e.text, line), 0), len(strings.TrimRight(line, "\n")))
	evidence.ConflictsWith = &sessionevents.EarlierEvent{Turn: l.turn, What: detect.Quote(l.text)}
	k.report(contradiction{
		rule: l.text, subclass: "constraint", thing: thing, cost: contraryCost, confidence: k.Confidence.Path,
		evidence: evidence,
		logOnly:  k.book.overtaken(k.Baseline(), l.turn), request: true,
		message: fmt.Sprintf("%s, but the user allows %s at most (turn %d). Take the number back, or ask first.",
			act, strconv.FormatFloat(l.most, 'f', -1, 64), l.turn),
		reason: "A number is greater than the user allows.",
	})
}
