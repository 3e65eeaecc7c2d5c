package refetch

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// memory is what this session retrieved and still has in context. It stores more than the
// registry does: how far a result reached and whether it was complete.
type memory struct {
	Seen        []retrieval `json:"seen,omitempty"` // oldest first
	Compactions int         `json:"compactions,omitempty"`
	Turn        int         `json:"turn,omitempty"` // the latest one seen
}

// begin applies a turn's continuity to the context (SW-1a): after a fork or rewind,
// retrievals on the old branch may not be in context.
func (m *memory) begin(p *detect.Pass) {
	for _, w := range p.Before.FilesWritten() {
		if w.Elsewhere && w.Turn >= m.Turn {
			m.written(w.Path)
		}
	}
	m.Turn = p.Turn.Turn
	c := p.Turn.Continuity
	if c == nil {
		return
	}
	if c.Compacted {
		m.Compactions++
	}
	if c.Fork {
		m.Seen = nil
	}
}

// bound keeps the newest retrievals (SW-10), and none of turns before first.
func (m *memory) bound(limit, first int) {
	old := 0
	for old < len(m.Seen) && (m.Seen[old].Turn < first || len(m.Seen)-old > limit) {
		old++
	}
	if old > 0 {
		m.Seen = slices.Clone(m.Seen[old:])
	}
}

// forget drops what a segment may have changed: written paths, and the searches and
// listings of folders that contain them.
func (d *instance) forget(m *memory, p *detect.Pass, s *sessionevents.Segment) {
	if s.Rejected {
		return
	}
	if s.Kind == sessionevents.SegmentDiff && !s.Proposed {
		m.written(p.Before.Path(s.Path)) // a failed edit too, since it requires another look
	}
	for _, a := range s.Accesses {
		if a.Kind == sessionevents.AccessWrite {
			m.written(p.Before.Path(a.Target))
		}
	}
	for _, w := range p.Additions.FilesWritten {
		if w.Segment == s.Index {
			m.written(w.Item.Path)
		}
	}
	if s.Kind == sessionevents.SegmentError && d.asksToReread(s) {
		m.written("")
	}
	if s.Kind == sessionevents.SegmentUser {
		d.said(m, s.Text)
	}
	if d.mayWrite(s) && !d.onlyShows(s) {
		m.doubt(s.Kind != sessionevents.SegmentUser)
	}
}

// said handles a person's message: one that starts a plan again clears the context, and
// one that says what changed justifies another look.
func (d *instance) said(m *memory, text string) {
	text = strings.ToLower(strings.TrimSpace(text))
	changes := func() bool {
		for word := range strings.FieldsFuncSeq(text, notLetter) {
			if slices.Contains(d.config.ChangedWords, word) {
				return true
			}
		}
		return false
	}
	switch {
	case slices.ContainsFunc(d.config.ContextCleared, func(p string) bool { return strings.HasPrefix(text, p) }):
		m.Seen = nil
	case changes():
		m.written("")
	}
}

func notLetter(r rune) bool { return !unicode.IsLetter(r) }

// mayWrite reports whether files may have changed unseen.
func (d *instance) mayWrite(s *sessionevents.Segment) bool {
	if s.Tool == nil {
		return s.Kind == sessionevents.SegmentUser
	}
	return slices.Contains(d.config.MayWriteTools, string(s.Tool.Canonical)) ||
		slices.ContainsFunc(s.Tool.Effects, func(e string) bool { return slices.Contains(d.config.MayWrite, e) })
}

// doubt keeps only retrievals that an equal result would confirm; Git's output must be
// read again once work was done.
func (m *memory) doubt(worked bool) {
	if worked {
		m.Seen = slices.DeleteFunc(m.Seen, func(r retrieval) bool { return r.Kind == kindGit })
	}
	for i := range m.Seen {
		m.Seen[i].Last = 0
	}
}

func (d *instance) asksToReread(s *sessionevents.Segment) bool {
	text := strings.ToLower(s.Text)
	if s.Error != nil {
		text += " " + strings.ToLower(s.Error.Signature)
	}
	return slices.ContainsFunc(d.config.RereadErrors, func(mark string) bool { return strings.Contains(text, mark) })
}

// written drops a file and the searches and listings whose path contains it; "" means any
// file. Fetched documents are kept.
func (m *memory) written(file string) {
	m.Seen = slices.DeleteFunc(m.Seen, func(r retrieval) bool {
		switch r.Kind {
		case sessionevents.AccessFetch:
			return false
		case kindGit:
			return true
		case sessionevents.AccessRead:
			return file == "" || sameFile(file, r.Target)
		}
		return file == "" || holds(r.Target, file)
	})
}

// holds reports whether a searched path is a file or a folder above it. A path without a
// place is the workspace, which does not contain what is written outside it.
func holds(searched, file string) bool {
	searched, file = path.Clean(searched), path.Clean(file)
	switch {
	case searched == "." || searched == "" || strings.ContainsAny(searched, "*?["):
		return !path.IsAbs(file)
	case sameFile(searched, file), searched == "/":
		return true
	}
	return strings.HasPrefix(file, searched+"/") || strings.Contains(file, "/"+strings.TrimPrefix(searched, "/")+"/") || strings.HasPrefix(searched, ".."+"/")
}

// sameFile compares paths of which one may be relative to the workspace.
func sameFile(a, b string) bool {
	a, b = path.Clean(a), path.Clean(b)
	return a == b || strings.HasSuffix(a, "/"+b) || strings.HasSuffix(b, "/"+a)
}
