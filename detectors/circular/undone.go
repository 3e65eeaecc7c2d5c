package circular

import (
	"fmt"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// undone reports a change that this turn reverts exactly, soon after it was made,
// although it was never run and no person asked for it: a recurrence of its own.
func (d *instance) undone(m *memory, p *detect.Pass) *detect.Finding {
	path, turn, segment := reversal(p)
	if slices.ContainsFunc(p.Turn.Segments, func(s sessionevents.Segment) bool { return s.Kind == sessionevents.SegmentUser }) {
		m.Ran = p.Turn.Turn
	}
	if path == "" || moves(&p.Turn.Segments[segment]) || p.Turn.Turn-turn > d.UndoneTurns || m.Ran >= turn {
		return nil
	}
	q := m.edit(d, path, turn)
	if q.Last == p.Turn.Turn {
		return nil
	}
	q.Last = p.Turn.Turn
	q.Count++
	s := &p.Turn.Segments[segment]
	evidence := detect.Whole(s)
	evidence.ConflictsWith = &sessionevents.EarlierEvent{Turn: turn, Path: path, What: q.Text}
	f := &detect.Finding{
		Subclass: undoneWork, Subject: q.Text, Streak: q.Count, ReworkCost: 1, SelfCorrect: 0.5,
		Confidence: d.Confidence.Undone, Evidence: []sessionevents.Evidence{evidence},
		Message: fmt.Sprintf("This undoes %s of turn %d, which was never run in between. Run it once, or say why it was wrong, before the next edit.", takenBack(q.Text), turn),
		Reason:  fmt.Sprintf("The edit of turn %d restores exactly what turn %d changed in %s, with no test, build, run, error or message in between.", p.Turn.Turn, turn, quote.Path(path)),
	}
	d.raiseTo(f, q.Count)
	return f
}

// moves reports whether an edit only removes or adds one line, which may have moved.
func moves(s *sessionevents.Segment) bool {
	added, removed := len(s.Diff.Added()), len(s.Diff.Removed())
	return added+removed < 2 || min(added, removed) == 0 && added+removed < movedLines
}

// movedLines is the number of lines from which removing an addition counts as undoing it.
const movedLines = 3

// edit returns the question of what an edit of a file should be.
func (m *memory) edit(d *instance, path string, turn int) *question {
	text := editOf + path
	at := slices.IndexFunc(m.Questions, func(q question) bool { return q.Text == text })
	if at < 0 {
		m.add(question{Terms: d.terms(base(path)), Text: text, First: turn, Last: turn, Closed: true})
		at = len(m.Questions) - 1
	}
	return m.touch(at)
}

// noteRun records the last turn in which something was run, failed or was said by a
// person: after it, there may be a reason to revert a change.
func (d *instance) noteRun(m *memory, p *detect.Pass) {
	for i := range p.Turn.Segments {
		s := &p.Turn.Segments[i]
		if s.Kind == sessionevents.SegmentUser || s.Kind == sessionevents.SegmentError || s.Tool != nil && slices.ContainsFunc(s.Tool.Effects, d.tests) {
			m.Ran = p.Turn.Turn
		}
	}
}
