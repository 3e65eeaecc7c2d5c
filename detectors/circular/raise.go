package circular

import (
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// raise records one deliberation; it returns a finding if a question recurs.
func (d *instance) raise(m *memory, p *detect.Pass, x *deliberation) *detect.Finding {
	switch x.kind {
	case decided:
		return d.decide(m, p, x)
	case closed:
		if d.tells(x.terms) {
			d.open(m, p, x).Closed = true
		}
		return nil
	}
	at := slices.IndexFunc(m.Questions, func(q question) bool { return (x.kind != returned || q.Closed) && d.about(&q, x) })
	switch {
	case at >= 0:
		return d.recur(p, m.touch(at), x, string(x.kind))
	case x.kind == reconsidered:
		if f := d.reversed(m, p, x); f != nil {
			return f
		}
		if len(x.terms) >= d.RaisedWords {
			d.open(m, p, x)
		}
	case x.kind == asked && len(x.terms) >= d.AskedWords:
		d.open(m, p, x)
	}
	return nil
}

// open returns the question that a deliberation is about, adding a new one if there is
// none.
func (d *instance) open(m *memory, p *detect.Pass, x *deliberation) *question {
	at := slices.IndexFunc(m.Questions, func(q question) bool { return jaccard(q.Terms, x.terms) >= d.Similar })
	if at >= 0 {
		return m.touch(at)
	}
	return m.add(question{Terms: x.terms, Names: x.names, Text: d.subject(x.what), First: p.Turn.Turn, Last: p.Turn.Turn})
}

// decide records a decision. Repeating the same choice only restates it; another one
// reopens the question, and an earlier one returns to it (A → B → A).
func (d *instance) decide(m *memory, p *detect.Pass, x *deliberation) *detect.Finding {
	c := d.choice(x.decision)
	if !d.tells(c.chosen) {
		return nil
	}
	at := slices.IndexFunc(m.Questions, func(q question) bool { return d.decides(&q, c) })
	if at < 0 && x.again && len(c.topic) == 0 { // "On second thought, going with X": replaces the last choice
		at = m.lastChoice()
	}
	if at < 0 {
		m.add(question{
			Terms: x.terms, Topic: c.topic, Text: d.decisionSubject(x.decision), Held: d.subject(x.decision.Choice),
			First: p.Turn.Turn, Last: p.Turn.Turn, Closed: true, Choices: [][]string{c.chosen},
		})
		return nil
	}
	q := m.touch(at)
	how := q.choose(c, x.again, d.ChoicesKept)
	if how != "" {
		finding := d.recur(p, q, x, how)
		q.Held = d.subject(x.decision.Choice)
		return finding
	}
	q.Closed, q.Last, q.Informed, q.Held = true, p.Turn.Turn, false, d.subject(x.decision.Choice)
	return nil
}

// decisionSubject returns the subject of a decision, which all its choices share.
func (d *instance) decisionSubject(decision *registry.Decision) string {
	switch {
	case decision.Topic != "":
		return d.subject(decision.Topic)
	case decision.Rejected != "":
		return d.subject(decision.Choice + " or " + decision.Rejected)
	}
	return d.subject(decision.Choice)
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
func (d *instance) recur(p *detect.Pass, q *question, x *deliberation, how string) *detect.Finding {
	if q.Last == p.Turn.Turn {
		return nil
	}
	earlier := q.Last
	q.Last = p.Turn.Turn
	if q.Informed {
		q.Informed, q.Count = false, 0
		return nil
	}
	if acts(p) && x.decision == nil && how != string(returned) && how != reversedEdit {
		return nil // it acts on its plan
	}
	q.Count++
	return d.finding(p, q, x, how, earlier)
}

// reversed matches a reconsideration without a known question with the exact reversal of
// an earlier edit, if there was no news since that edit.
func (d *instance) reversed(m *memory, p *detect.Pass, x *deliberation) *detect.Finding {
	path, turn, _ := reversal(p)
	if path == "" || m.News >= turn {
		return nil
	}
	return d.recur(p, m.edit(d, path, turn), x, reversedEdit)
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
