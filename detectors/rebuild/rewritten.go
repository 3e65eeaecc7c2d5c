package rebuild

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// version counts how often a file was written in full without a run in between.
type version struct {
	Path  string `json:"p"`
	First int    `json:"f"` // turn of the first of them
	Last  int    `json:"l"`
	Times int    `json:"n"`
}

// rewrites finds files that are written in full again and again without a run.
type rewrites struct{ *data }

// rewritten returns the files that a turn writes in full again although no version was
// run since: the same work again, without new evidence.
func (d *rewrites) rewritten(m *memory, t *turn, found []again) []again {
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

func (d *rewrites) again(e *edit, v *version, earlier int) again {
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
		m.Versions = text.Newest(append(m.Versions, version{Path: file, First: turn, Last: turn}), kept)
		at = len(m.Versions) - 1
	}
	return &m.Versions[at]
}

// settle resets the versions of files once something was run or a person sent a message,
// and of a file that was edited in place.
func (d *rewrites) settle(m *memory, p *detect.Pass, person bool) {
	for i := range p.Turn.Segments {
		s := &p.Turn.Segments[i]
		if person && s.Kind == sessionevents.SegmentUser || !person && d.runs(s) {
			m.Versions = nil
			return
		}
	}
}

// judgeVersion reports a rewritten file as corrected once something is run, and as
// committed if the file is written or edited again.
func (d *rewrites) judgeVersion(p *detect.Pass, s *sessionevents.Signal) (sessionevents.Outcome, string) {
	for i := range p.Turn.Segments {
		if d.runs(&p.Turn.Segments[i]) {
			return sessionevents.OutcomeCorrected, "run"
		}
	}
	for i := range p.Additions.Diffs {
		if p.Additions.Diffs[i].Item.Path == s.Subject {
			return sessionevents.OutcomeCommitted, "changed again before a run"
		}
	}
	return sessionevents.OutcomeOpen, "not run yet"
}

// runs reports whether a call tests, builds or runs something.
func (d *data) runs(s *sessionevents.Segment) bool {
	return s.Tool != nil && slices.ContainsFunc(s.Tool.Effects, func(e string) bool { return slices.Contains(d.FailingEffects, e) })
}

// turn is a pass with values that the detector needs more than once.
type turn struct {
	*detect.Pass
	edits []edit
	// gone are the names whose declaration the turn removes or rewrites in place.
	gone map[string]bool
	// plan is the turn's prose, including thinking.
	plan string
}

// edit is an applied DIFF in a file in which similarity is meaningful.
type edit struct {
	segment *sessionevents.Segment
	record  *registry.DiffRecord
	path    string // in the registry's form
	// whole is set if the file was rewritten, so that old lines look added.
	whole bool
}

func (d *instance) look(p *detect.Pass) *turn {
	t := &turn{Pass: p, gone: map[string]bool{}}
	for i := range p.Additions.Diffs {
		item := &p.Additions.Diffs[i]
		s := &p.Turn.Segments[item.Segment]
		if s.Diff.Op == sessionevents.DiffRename || s.Diff.Op == sessionevents.DiffDelete || d.skips(item.Item.Path) || item.Item.Added > 0 && d.machineMade(s.Diff) {
			continue
		}
		t.edits = append(t.edits, edit{s, &item.Item, item.Item.Path, s.Diff.Op == sessionevents.DiffCreate})
	}
	for _, list := range [][]registry.SegmentItem[registry.Built]{p.Additions.Removed, p.Additions.Edited} {
		for i := range list {
			t.gone[list[i].Item.Symbol.Name] = true
		}
	}
	if len(t.edits) > 0 {
		t.plan = said(p.Turn)
	}
	return t
}

// said returns a turn's plan as one text.
func said(t *sessionevents.TurnSegmented) string {
	var b strings.Builder
	for i := range t.Segments {
		if s := &t.Segments[i]; s.Kind == sessionevents.SegmentPlan {
			b.WriteString(s.Text)
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// unseen reports whether files may have changed since a turn without the registry seeing
// it: through a formatter, git, a script.
func (t *turn) unseen(since int) bool { return t.Before.WrittenSince("", since) }

// kin reports whether two files belong together: they have the same folder or extension.
func kin(a, b string) bool {
	return path.Dir(a) == path.Dir(b) || strings.EqualFold(path.Base(a), path.Base(b))
}

// appended reports whether the edit only adds to an existing file.
func (e *edit) appended() bool { return !e.whole && e.record.Removed == 0 && e.record.Added > 0 }
