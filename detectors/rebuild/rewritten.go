package rebuild

import (
	"fmt"
	"path"
	"slices"
	"strconv"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// version counts how often a file was written in full without a run in between.
type version struct {
	Path  string `json:"p"`
	First int    `json:"f"` // turn of the first of them
	Last  int    `json:"l"`
	Times int    `json:"n"`
}

// rewritten returns the files that a turn writes in full again although no version was
// run since: the same work again, without new evidence.
func (d *instance) rewritten(m *memory, t *turn, found []again) []again {
	var out []again
	for i := range t.edits {
		e := &t.edits[i]
		if !e.version() || e.record.Added < d.MinLines || slices.Contains(d.NeverRun, e.segment.Language) || e.segment.Language == "" {
			continue
		}
		v := m.version(e.path, t.Turn.Turn, d.Kept.Rebuilds)
		if v.Last == t.Turn.Turn && v.Times > 0 {
			continue
		}
		v.Times++
		earlier := v.Last
		v.Last = t.Turn.Turn
		if v.Times < d.FloorFrom || slices.ContainsFunc(found, func(a again) bool { return a.subject == e.path }) {
			continue
		}
		out = append(out, d.again(e, v, earlier))
	}
	return out
}

// version reports whether an edit writes the file in full, new or not.
func (e *edit) version() bool {
	return e.whole || e.segment.Tool != nil && e.segment.Tool.Canonical == sessionevents.ToolWrite
}

func (d *instance) again(e *edit, v *version, earlier int) again {
	return again{
		subject: e.path, subclass: "rewritten", cost: costByOverlap, confidence: d.Confidence.Rewritten,
		names: []string{path.Base(e.path)}, evidence: detect.Whole(e.segment), times: v.Times - 1,
		earlier: sessionevents.EarlierEvent{Turn: earlier, Path: e.path, What: "the version before"},
		message: fmt.Sprintf("%s is written whole for the %s time since turn %d and no version was run; run it once before the next version.", quote.Path(e.path), ordinal(v.Times), v.First),
		reason:  fmt.Sprintf("Turn %d writes all %d lines of %s again; since turn %d no test, build or run came between the versions.", v.Last, e.record.Added, quote.Path(e.path), v.First),
	}
}

func ordinal(n int) string {
	switch n {
	case 2:
		return "second"
	case 3:
		return "third"
	}
	return strconv.Itoa(n) + "th"
}

// version returns the count of a file, starting one if needed.
func (m *memory) version(file string, turn, kept int) *version {
	at := slices.IndexFunc(m.Versions, func(v version) bool { return v.Path == file })
	if at < 0 {
		m.Versions = append(m.Versions, version{Path: file, First: turn, Last: turn})
		m.Versions = m.Versions[max(0, len(m.Versions)-kept):]
		at = len(m.Versions) - 1
	}
	return &m.Versions[at]
}

// settle resets the versions of files once something was run or a person sent a message,
// and of a file that was edited in place.
func (d *instance) settle(m *memory, p *detect.Pass, person bool) {
	for i := range p.Turn.Segments {
		s := &p.Turn.Segments[i]
		if person && s.Kind == sessionevents.SegmentUser || !person && d.runs(s) {
			m.Versions = nil
			return
		}
	}
}

// runs reports whether a call tests, builds or runs something.
func (d *instance) runs(s *sessionevents.Segment) bool {
	return s.Tool != nil && slices.ContainsFunc(s.Tool.Effects, func(e string) bool { return slices.Contains(d.FailingEffects, e) })
}
