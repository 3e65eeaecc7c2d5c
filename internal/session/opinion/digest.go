package opinion

import (
	"fmt"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Since returns the question about what is new in a session, from one turn to another,
// with a summary of the earlier turns (AD-3).
func (c *Config) Since(r *Record, from, to int) *Question {
	b := c.Digest
	l := lengths{words: b.Words, call: b.Call, result: b.Result, person: b.Words}
	summary := min(b.Summary, b.Most/8)
	head := section("TASK", shown(r.task(r.said(to)), min(c.Question.Task, b.Most/5))) +
		section("AGREED", shown(strings.Join(r.agreed(to), "\n"), min(c.Question.Task/2, b.Most/10))) +
		section("BEFORE THE NEW TURNS", middle(r.before(from), summary)) +
		section("CLAIMS OF THE NEW TURNS AND WHAT THE RECORD SHOWS", middle(r.claims(from, to), summary)) +
		section("REPORTED BEFORE, DO NOT REPORT AGAIN", middle(r.reported(), summary))
	var turns []string
	for _, t := range r.between(from, to) {
		turns = append(turns, turnText(t, l))
	}
	return &Question{
		Kind: sessionevents.QuestionDigest, Session: r.Session, Run: r.run(), From: from, Turn: to,
		Text:   delimited(head + section("NEW TURNS", latest(turns, b.Most-len(head)-overhead))),
		Prompt: c.Prompts[string(sessionevents.QuestionDigest)],
	}
}

func (r *Record) run() string {
	for _, t := range r.Turns {
		if t.Run != "" {
			return t.Run
		}
	}
	return ""
}

// beforeBytes is the number of bytes of each message in the summary of earlier turns.
const beforeBytes = 200

// before summarizes the turns before one: the person's messages, and how each response
// ended.
func (r *Record) before(from int) string {
	var out []string
	for i, t := range r.Turns {
		if t.Turn >= from {
			break
		}
		words := ""
		for j := range t.Segments {
			switch s := &t.Segments[j]; {
			case s.Kind == sessionevents.SegmentUser:
				out = append(out, fmt.Sprintf("turn %d, person: %s", t.Turn, flat(s.Text)))
			case s.Kind == sessionevents.SegmentPlan && !s.Thinking:
				words = s.Text
			}
		}
		last := i+1 == len(r.Turns) || r.Turns[i+1].Turn >= from
		if words != "" && (last || startsWithPerson(r.Turns[i+1])) {
			out = append(out, fmt.Sprintf("turn %d, agent: %s", t.Turn, flat(words)))
		}
	}
	return strings.Join(out, "\n")
}

func startsWithPerson(t *sessionevents.TurnSegmented) bool {
	return len(t.Segments) > 0 && t.Segments[0].Kind == sessionevents.SegmentUser
}

// claims returns the entries of the ledger of done for the new turns (PD-2).
func (r *Record) claims(from, to int) string {
	var out []string
	for _, e := range r.Closed {
		if e.Turn < from || e.Turn > to || e.Ledger == nil {
			continue
		}
		for _, c := range e.Ledger.Claims {
			out = append(out, fmt.Sprintf("turn %d: %q is %s: %s", c.Turn, flat(c.Text), c.Verdict, flat(c.Why)))
		}
	}
	return strings.Join(out, "\n")
}

// reported returns what models added earlier, since a digest that begins where the last
// one ended may show it again.
func (r *Record) reported() string {
	var out []string
	for _, s := range r.Added {
		out = append(out, fmt.Sprintf("turn %d, class %s: %s", s.Turn, s.Class, s.Subject))
	}
	return strings.Join(out, "\n")
}

// flat returns a text on one line, shortened.
func flat(s string) string {
	return text.Line(middle(s, beforeBytes))
}
