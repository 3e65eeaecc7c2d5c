// Package advised shows what second opinions would have changed in recorded sessions (AD-8): it folds the
// same input with and without them. The answers come from a file; no model is asked.
package advised

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/memory"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/opinion"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Answers maps the id of a question to the text of its answer.
type Answers map[string]string

// maxLine limits the length of a line in a file of answers.
const maxLine = 1 << 20

// ReadAnswers reads JSON lines: {"question": ID, "answer": …}, or the data of opinion.recorded.
func ReadAnswers(from io.Reader) (Answers, error) {
	out := Answers{}
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, maxLine)
	for n := 1; lines.Scan(); n++ {
		if len(lines.Bytes()) == 0 {
			continue
		}
		var line struct {
			Question string          `json:"question"`
			Answer   json.RawMessage `json:"answer"`
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			return nil, fmt.Errorf("line %d is not a JSON object: %w", n, err)
		}
		if line.Question == "" {
			return nil, fmt.Errorf("line %d names no question: each needs \"question\" with its id", n)
		}
		text := lines.Text() // the data of an event has the fields of an answer
		if line.Answer != nil && json.Unmarshal(line.Answer, &text) != nil {
			text = string(line.Answer)
		}
		out[line.Question] = text
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read the answers: %w", err)
	}
	return out, nil
}

// Change is one difference that opinions make.
type Change struct {
	Session  string                `json:"session"`
	Turn     int                   `json:"turn"`
	Detector string                `json:"detector"`
	Urgency  sessionevents.Urgency `json:"urgency"`
	What     string                `json:"what"` // the interrupt's message, or why it was held back
}

// Result is the outcome of a comparison.
type Result struct {
	Sessions  int                 `json:"sessions"`
	Questions int                 `json:"questions"`
	Answered  int                 `json:"answered"`
	Void      int                 `json:"void"`
	Unused    int                 `json:"unused"` // answers to questions that were not asked
	Without   int                 `json:"interrupts_without"`
	With      int                 `json:"interrupts_with"`
	HeldBack  []Change            `json:"held_back"` // refuted, or not worth saying, in an opinion
	Lost      []Change            `json:"lost"`      // said without opinions but not with them
	Gained    []Change            `json:"gained"`    // said only with opinions
	asked     map[string]struct{} // ids
}

// Comparison folds input with and without answers.
type Comparison struct {
	config        *opinion.Config
	answers       Answers
	without, with *memory.Chain
	asker         *opinion.Asker
	groups        map[string]string
	said          [2]map[string]Change // interrupts by place
	order         []string
	sessions      map[string]bool
	result        Result
}

// New returns a comparison of two chains of the same machines; the first stage of each is ingest.
func New(without, with *memory.Chain, config *opinion.Config, answers Answers) *Comparison {
	c := &Comparison{
		config: config, answers: answers, without: without, with: with, asker: opinion.NewAsker(config), groups: map[string]string{},
		said: [2]map[string]Change{{}, {}}, sessions: map[string]bool{},
	}
	c.result.asked = map[string]struct{}{}
	c.with.Folded = func(stage string, _ events.Event, derived []events.Event, _ string) {
		if stage != "ingest" {
			return
		}
		for _, e := range derived {
			c.asker.Said(e)
		}
	}
	return c
}

// Feed folds one input. Each answer arrives as soon as its question is asked.
func (c *Comparison) Feed(e events.Event) {
	c.take(0, c.without.Feed(e))
	due := c.decided(c.with.Feed(e))
	for len(due) > 0 {
		q := due[0]
		due = due[1:]
		c.result.asked[q.ID()] = struct{}{}
		c.result.Questions++
		answer, have := c.answers[q.ID()]
		if !have {
			continue
		}
		o := c.config.Answer(q, answer)
		o.Model, o.Provider = "answers", "file"
		c.result.Answered++
		if o.Void != "" {
			c.result.Void++
		}
		due = append(due, c.decided(c.with.Feed(events.Event{
			ID: events.DerivedID("advisor", q.Session, q.ID(), 0), Source: step.Source("advisor"), Type: sessionevents.TypeOpinionRecorded,
			Subject: q.Session, Time: e.Time, PartitionKey: c.groups[q.Session], Data: o,
		}))...)
	}
}

// decided records what was decided with opinions and returns the questions that are now due.
func (c *Comparison) decided(list []events.Event) (due []*opinion.Question) {
	c.take(1, list)
	for _, e := range list {
		due = append(due, c.asker.Decided(e)...)
	}
	return append(due, c.asker.Settled()...)
}

func (c *Comparison) take(which int, list []events.Event) {
	for _, e := range list {
		switch d := e.Data.(type) {
		case *sessionevents.TurnEvaluated:
			c.groups[d.Session] = e.Group()
			c.sessions[d.Session] = true
		case *sessionevents.InterruptFired:
			at := fmt.Sprintf("%s %s %v", d.Session, d.Detector, d.Signals)
			c.said[which][at] = Change{Session: d.Session, Turn: d.Turn, Detector: d.Detector, Urgency: d.Urgency, What: d.Message}
			c.order = append(c.order, at)
		case *sessionevents.Disposition:
			if which == 1 && (d.Code == sessionevents.CodeRefuted || d.Code == sessionevents.CodeNotWorthSaying) {
				c.result.HeldBack = append(c.result.HeldBack, Change{Session: d.Session, Turn: d.Turn, Detector: d.Detector, Urgency: d.Urgency, What: d.Reason})
			}
		}
	}
}

// Result returns the comparison so far, in the order of the decisions.
func (c *Comparison) Result() Result {
	r := c.result
	r.Sessions, r.Without, r.With = len(c.sessions), len(c.said[0]), len(c.said[1])
	seen := map[string]bool{}
	for _, at := range c.order {
		if seen[at] {
			continue
		}
		seen[at] = true
		was, before := c.said[0][at]
		is, after := c.said[1][at]
		switch {
		case before && !after:
			r.Lost = append(r.Lost, was)
		case after && !before:
			r.Gained = append(r.Gained, is)
		}
	}
	for id := range c.answers {
		if _, used := r.asked[id]; !used {
			r.Unused++
		}
	}
	return r
}
