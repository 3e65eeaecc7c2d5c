package opinion

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strings"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Question is one question to a model. Its text is a function of the record and the rules.
type Question struct {
	Kind     sessionevents.QuestionKind
	Session  string
	Run      string
	Signal   string
	Detector string
	From     int // first turn that it shows
	Turn     int // last turn that it shows
	Text     string
	Prompt   Prompt
}

// ID identifies the question by its text and its instructions.
func (q *Question) ID() string {
	sum := sha256.Sum256([]byte(q.Prompt.System + "\x00" + q.Text + "\x00" + q.Prompt.Ask))
	return "q-" + hex.EncodeToString(sum[:8])
}

// User returns the user message for a model: the record, then the question.
func (q *Question) User() string { return q.Text + "\n" + q.Prompt.Ask }

// Asks reports whether a model is asked about a signal: its own urgency, without JD-2's
// cap, must be high enough to be sent (AD-2). Models' own findings are asked about as
// well.
func (c *Config) Asks(s *sessionevents.Signal) bool {
	if s.Suppressed != "" || s.Confirms != "" || s.Layer != sessionevents.LayerSession && s.Layer != "" {
		return false
	}
	own := s.Urgency
	if s.Withheld != "" {
		own = sessionevents.UrgencyOf(s.ReworkCost, s.SelfCorrect)
	}
	if s.Floor != nil {
		own = max(own, *s.Floor)
	}
	return own >= sessionevents.Urgency(math.Round(c.Question.AskFrom*10))
}

// About returns the question about a signal, with the turns up to upTo (AD-2).
func (c *Config) About(r *Record, s *sessionevents.Signal, upTo int) *Question {
	b := c.Question
	l := lengths{words: b.Words, call: b.Call, result: b.Result, person: b.Person}
	messages := r.said(upTo)
	head := section("TASK", shown(r.task(messages), min(b.Task, b.Most/5)))
	if n := len(messages); n > 1 {
		var last []string
		for _, m := range messages[max(1, n-b.PersonMessages):] {
			last = append(last, fmt.Sprintf("turn %d: %s", m.turn, shown(m.text, b.Person)))
		}
		head += section("THE PERSON SAID LAST", middle(strings.Join(last, "\n"), b.Most*2/7))
	}
	head += section("THE FINDING", middle(accusation(s), b.Most/4))
	from := max(1, s.Turn-b.TurnsBefore)
	var earlier strings.Builder
	for _, t := range r.Turns {
		if t.Turn < from && slices.Contains(citedTurns(s), t.Turn) {
			earlier.WriteString(turnText(t, l))
		}
	}
	turns := make([]string, 0, max(0, upTo-from+1))
	for _, t := range r.between(from, upTo) {
		turns = append(turns, turnText(t, l))
	}
	head += section("EARLIER TURNS THAT THE EVIDENCE NAMES", middle(earlier.String(), min(b.Most/4,
		(b.Most-len(head))/2)))
	text := delimited(head + section("TURNS", latest(turns, b.Most-len(head)-overhead)))
	return &Question{
		Kind: sessionevents.QuestionSignal, Session: r.Session, Run: s.Run, Signal: s.ID, Detector: s.Detector, From: from, Turn: upTo,
		Text: text, Prompt: c.Prompts[string(sessionevents.QuestionSignal)],
	}
}

// overhead is the size of the lines that delimit the parts of a question.
const overhead = 120

func section(title, text string) string {
	if text = strings.TrimSpace(text); text == "" {
		return ""
	}
	return title + "\n" + text + "\n\n"
}

// accusation returns the watcher's message and its basis.
func accusation(s *sessionevents.Signal) string {
	var b strings.Builder
	fmt.Fprintf(&b, "rule %s, turn %d, urgency %s\nit would say: %s\nbecause: %s\n", s.Detector, s.Turn, s.Urgency, s.Message, s.Reason)
	for _, e := range s.Evidence {
		place := e.Path
		if e.Line > 0 {
			place = fmt.Sprintf("%s:%d", place, e.Line)
		}
		fmt.Fprintf(&b, "evidence: %s\n", strings.TrimSpace(place+" "+shown(e.Quote, evidenceBytes)))
		if other := e.ConflictsWith; other != nil {
			fmt.Fprintf(&b, "against: turn %d %s\n", other.Turn, strings.TrimSpace(fmt.Sprintf("%s:%d %s", other.Path,
				other.Line, shown(other.What, evidenceBytes))))
		}
	}
	return b.String()
}

// evidenceBytes is the number of bytes shown of each piece of evidence.
const evidenceBytes = 400

// citedTurns returns the earlier turns that the evidence of a signal points at.
func citedTurns(s *sessionevents.Signal) []int {
	var out []int
	for _, e := range s.Evidence {
		if e.ConflictsWith != nil && e.ConflictsWith.Session == "" && e.ConflictsWith.Turn > 0 {
			out = append(out, e.ConflictsWith.Turn)
		}
	}
	return out
}

// latest joins as many turns as fit, the latest first, and notes what was left out.
func latest(turns []string, room int) string {
	kept, first := 0, len(turns)
	for first > 0 && kept+len(turns[first-1]) <= room {
		first--
		kept += len(turns[first])
	}
	text := strings.Join(turns[first:], "")
	if first == len(turns) && first > 0 { // not even the last one fits
		first--
		text = middle(turns[first], room)
	}
	if first > 0 {
		text = fmt.Sprintf("[%d earlier turns left out]\n", first) + text
	}
	return text
}
