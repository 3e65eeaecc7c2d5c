package rebuild

import (
	"path"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

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
