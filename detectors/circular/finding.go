package circular

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Floors by recurrence.
const (
	queueFloor sessionevents.Urgency = 20
	fireFloor  sessionevents.Urgency = 40
)

// finding returns the finding of a recurrence: the first is logged, the second queues, the third
// fires.
func (k *questions) finding(q *question, x *deliberation, how string, earlier int) *detect.Finding {
	evidence := detect.At(&k.Turn.Segments[x.segment], x.offset, x.length)
	evidence.ConflictsWith = &sessionevents.EarlierEvent{Turn: earlier, What: q.Text}
	f := &detect.Finding{
		Subclass: how, Subject: q.Text, Streak: q.Count, ReworkCost: 1, SelfCorrect: 0.5,
		Confidence: detect.Lexical(k.confidence(how), x.thinking), Evidence: []sessionevents.Evidence{evidence},
		Message: message(q, x, how, earlier),
		Reason:  fmt.Sprintf("Recurrence %d of a question of turn %d (%s), with no error, test result, message or first read about it since turn %d.", q.Count, q.First, how, earlier),
	}
	k.raiseTo(f, q.Count)
	return f
}

// raiseTo sets the figures of a recurrence.
func (d *instance) raiseTo(f *detect.Finding, count int) {
	if count >= d.QueueAt {
		f.ReworkCost, f.SelfCorrect, f.Floor = 2, 0.2, queueFloor
	}
	if count >= d.FireAt {
		f.Floor = fireFloor
	}
}

func (k *questions) confidence(how string) float64 {
	switch how {
	case flipped:
		return k.Confidence.Flipped
	case string(returned):
		return k.Confidence.Returned
	case string(reconsidered):
		return k.Confidence.Reconsidered
	case reversedEdit:
		return k.Confidence.Reversed
	case repeated:
		return k.Confidence.Repeated
	}
	return k.Confidence.Asked
}

func message(q *question, x *deliberation, how string, earlier int) string {
	since := fmt.Sprintf("nothing new came since turn %d", earlier)
	switch {
	case how == flipped:
		return fmt.Sprintf("The choice%s goes back and forth, and %s. Keep one and finish with it.", about(q.Text), since)
	case x.decision != nil:
		return fmt.Sprintf("The choice%s changes, though %s. Keep one and finish with it.", about(q.Text), since)
	case how == reversedEdit:
		return fmt.Sprintf("This reconsiders and undoes %s of turn %d, and %s. Decide with one test before the next edit.", takenBack(q.Text), q.First, since)
	case q.Held != "":
		return fmt.Sprintf("%s was chosen in turn %d and is open again, though %s. Keep it and go on.", quoted(q.Held), q.First, since)
	case q.Closed:
		return fmt.Sprintf("%s was settled and is open again, though %s. Leave it and go on.", quoted(q.Text), since)
	case q.Count == 1:
		return fmt.Sprintf("%s was raised before, and %s. Settle it with one test or a decision.", quoted(q.Text), since)
	}
	return fmt.Sprintf("%s is raised for the %s time, and %s. Settle it with one test or a decision.", quoted(q.Text), ordinal(q.Count+1), since)
}

func ordinal(n int) string {
	switch {
	case n%100 >= 11 && n%100 <= 13:
	case n%10 == 1:
		return strconv.Itoa(n) + "st"
	case n%10 == 2:
		return strconv.Itoa(n) + "nd"
	case n%10 == 3:
		return strconv.Itoa(n) + "rd"
	}
	return strconv.Itoa(n) + "th"
}

// takenBack returns the edit that a question is about.
func takenBack(text string) string {
	path, _ := strings.CutPrefix(text, editOf)
	return editOf + quote.Path(path)
}

// aboutWords is the number of words up to which a message quotes a question in full.
const aboutWords = 10

func quoted(text string) string { return quote.Whole(text, aboutWords, "A question of this session") }

// about returns the purpose of a choice.
func about(text string) string {
	if shown := quote.Whole(text, aboutWords, ""); shown != "" {
		return " for " + shown
	}
	return ""
}
