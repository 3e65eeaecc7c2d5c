package circular

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// result holds the hashed stems of a call's result.
type result struct {
	Turn  int      `json:"n"`
	Hash  string   `json:"h"`
	Terms []uint32 `json:"t,omitempty"`
}

// found records the result of a search, a read or another call: it is news for the
// questions whose terms it shares, unless the same result was there before.
func (n *news) found(s *sessionevents.Segment) {
	if s.Result == nil || s.Rejected || s.Result.Bytes == 0 || len(n.memory.Questions) == 0 && len(n.memory.Findings) == 0 && n.memory.Planned == 0 {
		return
	}
	if slices.ContainsFunc(n.memory.Results, func(r result) bool { return r.Hash == s.Result.Hash }) {
		return
	}
	said := brought(s)
	now := result{Turn: n.Turn.Turn, Hash: s.Result.Hash, Terms: hashed(prose.FirstTerms(said, maxResultTerms))}
	n.memory.Results = text.Newest(append(n.memory.Results, now), n.ResultsKept)
	lower := strings.ToLower(said)
	n.memory.inform(func(q *question) bool { return !q.Informed && n.shares(lower, q.Terms, q.Names) })
	n.memory.informFindings(func(f *cause) bool { return n.shares(lower, f.Terms, f.Names) })
}

// brought returns the text of a call and the stored part of its result.
func brought(s *sessionevents.Segment) string {
	var said strings.Builder
	said.WriteString(s.Tool.Command)
	for _, a := range s.Accesses {
		said.WriteString(" " + a.Target + " " + a.Query)
	}
	said.WriteString(" " + s.Result.Head + " " + s.Result.Tail)
	for i := range s.Symbols {
		said.WriteString(" " + s.Symbols[i].Name)
	}
	return said.String()
}

// shares reports whether a text in lower case contains a name, or more than half of the
// words that are not too general.
func (d *instance) shares(lower string, terms, names []string) bool {
	if slices.ContainsFunc(names, func(n string) bool { return strings.Contains(lower, n) }) {
		return true
	}
	own, held := 0, 0
	for _, w := range terms {
		if d.general[w] {
			continue
		}
		own++
		if strings.Contains(lower, w) {
			held++
		}
	}
	return 2*held > own
}

// learnt reports whether a result since a turn shares at least two of the words.
func (m *memory) learnt(since int, terms []string) bool {
	wanted := hashed(terms)
	return slices.ContainsFunc(m.Results, func(r result) bool {
		common := 0
		for _, w := range r.Terms {
			if slices.Contains(wanted, w) {
				common++
			}
		}
		return r.Turn >= since && common >= min(2, len(wanted))
	})
}

// maxResultTerms bounds the words stored of a result.
const maxResultTerms = 64

// hashed returns words as 32-bit FNV-1a hashes.
func hashed(terms []string) []uint32 {
	out := make([]uint32, 0, min(len(terms), maxResultTerms))
	for _, w := range terms[:min(len(terms), maxResultTerms)] {
		h := uint32(2166136261)
		for i := range len(w) {
			h = (h ^ uint32(w[i])) * 16777619
		}
		out = append(out, h)
	}
	return out
}

// acts reports whether a turn acts on its plan by editing, testing or running something.
// Such a turn does not go in circles.
func acts(p *detect.Pass) bool {
	return p.Additions.Effect || slices.ContainsFunc(p.Turn.Segments, func(s sessionevents.Segment) bool {
		return s.Kind == sessionevents.SegmentDiff && !s.Proposed && !s.Rejected
	})
}

// undone reports a change that this turn reverts exactly, soon after it was made,
// although it was never run and no person asked for it: a recurrence of its own.
func (t *turn) undone() *detect.Finding {
	path, turn, segment := reversal(t.Pass)
	if slices.ContainsFunc(t.Turn.Segments, func(s sessionevents.Segment) bool { return s.Kind == sessionevents.SegmentUser }) {
		t.memory.Ran = t.Turn.Turn
	}
	if path == "" || moves(&t.Turn.Segments[segment]) || t.Turn.Turn-turn > t.UndoneTurns || t.memory.Ran >= turn {
		return nil
	}
	q := t.memory.edit(t.instance, path, turn)
	if q.Last == t.Turn.Turn {
		return nil
	}
	q.Last = t.Turn.Turn
	q.Count++
	s := &t.Turn.Segments[segment]
	evidence := detect.Whole(s)
	evidence.ConflictsWith = &sessionevents.EarlierEvent{Turn: turn, Path: path, What: q.Text}
	f := &detect.Finding{
		Subclass: undoneWork, Subject: q.Text, Streak: q.Count, ReworkCost: 1, SelfCorrect: 0.5,
		Confidence: t.Confidence.Undone, Evidence: []sessionevents.Evidence{evidence},
		Message: fmt.Sprintf("This undoes %s of turn %d, which was never run in between. Run it once, or say why it was wrong, before the next edit.", takenBack(q.Text), turn),
		Reason:  fmt.Sprintf("The edit of turn %d restores exactly what turn %d changed in %s, with no test, build, run, error or message in between.", t.Turn.Turn, turn, quote.Path(path)),
	}
	t.raiseTo(f, q.Count)
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
func (n *news) noteRun() {
	for i := range n.Turn.Segments {
		s := &n.Turn.Segments[i]
		if s.Kind == sessionevents.SegmentUser || s.Kind == sessionevents.SegmentError || s.Tool != nil && slices.ContainsFunc(s.Tool.Effects, n.tests) {
			n.memory.Ran = n.Turn.Turn
		}
	}
}
