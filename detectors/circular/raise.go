package circular

import (
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// questions are what a turn raises and decides.
type questions struct{ *turn }

// raise records one deliberation; it returns a finding if a question recurs.
func (k *questions) raise(x *deliberation) *detect.Finding {
	switch x.kind {
	case decided:
		return k.decide(x)
	case closed:
		if k.tells(x.terms) {
			k.open(x).Closed = true
		}
		return nil
	}
	at := slices.IndexFunc(k.memory.Questions, func(q question) bool { return (x.kind != returned || q.Closed) && k.about(&q, x) })
	switch {
	case at >= 0:
		return k.recur(k.memory.touch(at), x, string(x.kind))
	case x.kind == reconsidered:
		if f := k.reversed(x); f != nil {
			return f
		}
		if len(x.terms) >= k.RaisedWords {
			k.open(x)
		}
	case x.kind == asked && len(x.terms) >= k.AskedWords:
		k.open(x)
	}
	return nil
}

// open returns the question that a deliberation is about, adding a new one if there is
// none.
func (k *questions) open(x *deliberation) *question {
	at := slices.IndexFunc(k.memory.Questions, func(q question) bool { return jaccard(q.Terms, x.terms) >= k.Similar })
	if at >= 0 {
		return k.memory.touch(at)
	}
	return k.memory.add(question{Terms: x.terms, Names: x.names, Text: k.subject(x.what), First: k.Turn.Turn, Last: k.Turn.Turn})
}

// decide records a decision. Repeating the same choice only restates it; another one
// reopens the question, and an earlier one returns to it (A → B → A).
func (k *questions) decide(x *deliberation) *detect.Finding {
	c := k.choice(x.decision)
	if !k.tells(c.chosen) {
		return nil
	}
	at := slices.IndexFunc(k.memory.Questions, func(q question) bool { return k.decides(&q, c) })
	if at < 0 && x.again && len(c.topic) == 0 { // "On second thought, going with X": replaces the last choice
		at = k.memory.lastChoice()
	}
	if at < 0 {
		k.memory.add(question{
			Terms: x.terms, Topic: c.topic, Text: k.decisionSubject(x.decision), Held: k.subject(x.decision.Choice),
			First: k.Turn.Turn, Last: k.Turn.Turn, Closed: true, Choices: [][]string{c.chosen},
		})
		return nil
	}
	q := k.memory.touch(at)
	how := q.choose(c, x.again, k.ChoicesKept)
	if how != "" {
		finding := k.recur(q, x, how)
		q.Held = k.subject(x.decision.Choice)
		return finding
	}
	q.Closed, q.Last, q.Informed, q.Held = true, k.Turn.Turn, false, k.subject(x.decision.Choice)
	return nil
}

// decisionSubject returns the subject of a decision, which all its choices share.
func (k *questions) decisionSubject(decision *registry.Decision) string {
	switch {
	case decision.Topic != "":
		return k.subject(decision.Topic)
	case decision.Rejected != "":
		return k.subject(decision.Choice + " or " + decision.Rejected)
	}
	return k.subject(decision.Choice)
}

// choose makes a choice and returns how it recurs; "" if it answers or restates.
func (q *question) choose(c choice, again bool, kept int) string {
	if len(q.Choices) == 0 {
		q.Choices = [][]string{c.chosen}
		return ""
	}
	last := q.Choices[len(q.Choices)-1]
	if slices.Equal(last, c.chosen) {
		return ""
	}
	before := q.chose(c.chosen)
	q.Choices = text.Newest(append(q.Choices, c.chosen), kept)
	switch {
	case before:
		return flipped
	case again || slices.Equal(last, c.rejected):
		return string(reconsidered)
	}
	return ""
}

// recur counts a recurrence, at most one per turn; news resets the count.
func (k *questions) recur(q *question, x *deliberation, how string) *detect.Finding {
	if q.Last == k.Turn.Turn {
		return nil
	}
	earlier := q.Last
	q.Last = k.Turn.Turn
	if q.Informed {
		q.Informed, q.Count = false, 0
		return nil
	}
	if acts(k.Pass) && x.decision == nil && how != string(returned) && how != reversedEdit {
		return nil // it acts on its plan
	}
	q.Count++
	return k.finding(q, x, how, earlier)
}

// reversed matches a reconsideration without a known question with the exact reversal of
// an earlier edit, if there was no news since that edit.
func (k *questions) reversed(x *deliberation) *detect.Finding {
	path, turn, _ := reversal(k.Pass)
	if path == "" || k.memory.News >= turn {
		return nil
	}
	return k.recur(k.memory.edit(k.instance, path, turn), x, reversedEdit)
}

// reversal returns an edit of this turn that restores what an earlier one changed.
func reversal(p *detect.Pass) (path string, turn, segment int) {
	for _, now := range p.Additions.Diffs {
		if now.Item.AddedHash == "" && now.Item.RemovedHash == "" {
			continue
		}
		for _, earlier := range p.Before.DiffsOf(now.Item.Path) {
			if earlier.AddedHash == now.Item.RemovedHash && earlier.RemovedHash == now.Item.AddedHash {
				path, turn, segment = now.Item.Path, earlier.Turn, now.Segment
			}
		}
	}
	return path, turn, segment
}

// subject returns a sentence as a signal's subject.
func (d *instance) subject(s string) string {
	return text.Words(detect.Quote(s), d.SubjectWords)
}

// Further ways to recur, in addition to the kinds of deliberation.
const (
	flipped      = "flipped"
	reversedEdit = "reversed"
	repeated     = "repeated"
	withdrawn    = "withdrawn"
	undoneWork   = "undone"

	contradictedCause = "contradicted"
)

// editOf begins the text of a question about an edit, followed by its path.
const editOf = "the edit of "

// memory is C3's state of a session.
type memory struct {
	Questions []question `json:"q,omitempty"` // the one raised longest ago first
	// News is the last turn with an error, a test result, a person's message or the first
	// read of a file.
	News int `json:"n,omitempty"`
	// Ran is the last turn with a run, an error or a person's message.
	Ran      int      `json:"r,omitempty"`
	Planned  int      `json:"p,omitempty"` // last turn with a long plan
	Findings []cause  `json:"f,omitempty"`
	Results  []result `json:"s,omitempty"` // newest last
}

// question is something that was asked, reconsidered, decided or declared closed.
type question struct {
	Terms []string `json:"t,omitempty"` // stems of its subject
	Names []string `json:"m,omitempty"` // identifiers in it
	Topic []string `json:"p,omitempty"` // of a decision, stems of its topic
	Text  string   `json:"x"`           // for people
	First int      `json:"f"`           // turn in which it came up
	Last  int      `json:"l"`           // turn in which it was last raised
	Count int      `json:"c,omitempty"` // recurrences without news
	// Informed is set if there was news about it since it was last raised.
	Informed bool `json:"i,omitempty"`
	Closed   bool `json:"d,omitempty"` // decided, or declared closed
	// Choices are the choices made, in order, as sorted stems; Held is the wording of the
	// last one, which is in effect.
	Choices [][]string `json:"h,omitempty"`
	Held    string     `json:"e,omitempty"`
}

// begin applies a turn's continuity: a rewind undoes earlier questions, a compaction
// makes the agent forget them (SW-1a).
func (m *memory) begin(p *detect.Pass) {
	c := p.Turn.Continuity
	if c == nil {
		return
	}
	if c.Fork {
		*m = memory{}
	}
	if c.Compacted {
		m.inform(func(*question) bool { return true })
		m.informFindings(func(*cause) bool { return true })
	}
}

// inform marks the questions that there is news about.
func (m *memory) inform(about func(*question) bool) {
	for i := range m.Questions {
		q := &m.Questions[i]
		q.Informed = q.Informed || about(q)
	}
}

// touch makes a question the newest of the list and returns it.
func (m *memory) touch(at int) *question {
	q := m.Questions[at]
	m.Questions = append(slices.Delete(m.Questions, at, at+1), q)
	return &m.Questions[len(m.Questions)-1]
}

// lastChoice returns the question that was decided last, -1 if there is none.
func (m *memory) lastChoice() int {
	for i := len(m.Questions) - 1; i >= 0; i-- {
		if len(m.Questions[i].Choices) > 0 {
			return i
		}
	}
	return -1
}

// add stores a new question.
func (m *memory) add(q question) *question {
	m.Questions = append(m.Questions, q)
	return &m.Questions[len(m.Questions)-1]
}

// bound keeps the newest questions (SW-10).
func (m *memory) bound(limit int) {
	m.Questions = text.Newest(m.Questions, limit)
}
