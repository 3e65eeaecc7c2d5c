package detect

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Applied reports whether a segment is an edit that changed its file.
func Applied(s *sessionevents.Segment) bool { return Written(s) && !s.Proposed }

// Written reports whether a segment is an edit that was applied, or code that is shown in
// prose.
func Written(s *sessionevents.Segment) bool {
	return s.Kind == sessionevents.SegmentDiff && s.Diff != nil && !s.Diff.Failed && !s.Rejected
}

// Joined returns the text of lines, each with a newline.
func Joined(lines []sessionevents.Line) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.Text)
		b.WriteByte('\n')
	}
	return b.String()
}

// Lines are what a signal is about in a file. An edit is asked what it makes of them.
type Lines struct {
	Path string
	// In reports whether some of the lines are among those given.
	In func([]sessionevents.Line) bool
	// Left reports whether the file still has some of them after those given are removed;
	// nil for no.
	Left func(removed []sessionevents.Line) bool
	// Why they are corrected when they are removed, and when the file is rewritten.
	Removed, Rewritten string
	// Again reports why an edit that removes them is as bad; nil if it never is.
	Again func(*sessionevents.Segment) string
}

// Outcome reports the lines as corrected if they are removed, or the file is deleted or
// written without them, as committed if a later edit of the file keeps them, and otherwise
// as open (SW-44).
func (l *Lines) Outcome(p *Pass) (sessionevents.Outcome, string) {
	outcome, why := sessionevents.OutcomeOpen, "the file was not edited"
	for i := range p.Turn.Segments {
		s := &p.Turn.Segments[i]
		if !Applied(s) || !l.of(p, s.Path) && !l.of(p, s.Diff.OldPath) {
			continue
		}
		removed := s.Diff.Removed()
		gone := l.In(removed) && !(l.Left != nil && l.Left(removed))
		switch added := l.In(s.Diff.Added()); {
		case s.Diff.Op == sessionevents.DiffDelete:
			outcome, why = sessionevents.OutcomeCorrected, "the file was deleted"
		case !added && (gone || s.Diff.Op == sessionevents.DiffCreate):
			outcome, why = sessionevents.OutcomeCorrected, l.Rewritten
			if gone {
				why = l.Removed
			}
			if l.Again != nil {
				if again := l.Again(s); again != "" {
					outcome, why = sessionevents.OutcomeCommitted, again
				}
			}
		case added || outcome != sessionevents.OutcomeCorrected:
			outcome, why = sessionevents.OutcomeCommitted, "a later edit of the file keeps it"
		}
	}
	return outcome, why
}

// of reports whether a path is that of the lines. Where the workspace is not known, one of the
// two may be absolute.
func (l *Lines) of(p *Pass, file string) bool {
	a, b := p.Before.Path(file), p.Before.Path(l.Path)
	return a == b || path.IsAbs(a) != path.IsAbs(b) && registry.SameFile(a, b)
}

// Among reports whether a symbol, or its whole file, is among those that a turn built, edited or removed.
func Among(list []registry.SegmentItem[registry.Built], name, path string) bool {
	return slices.ContainsFunc(list, func(i registry.SegmentItem[registry.Built]) bool {
		s := &i.Item.Symbol
		return s.Path == path && (s.Name == "" || s.Name == name)
	})
}

// AfterPlan judges an announcement by the edits after it: committed if one of them does what
// was announced, corrected if none does.
func AfterPlan(p *Pass, is, does func(*sessionevents.Segment) bool, committed, corrected string) (sessionevents.Outcome, string) {
	edited := false
	for i := range p.Turn.Segments {
		if s := &p.Turn.Segments[i]; is(s) {
			if edited = true; does(s) {
				return sessionevents.OutcomeCommitted, committed
			}
		}
	}
	if edited {
		return sessionevents.OutcomeCorrected, corrected
	}
	return sessionevents.OutcomeOpen, "no code was written yet"
}

// Once adds an item that is not in a list yet; the oldest leave where there are too many.
func Once[T comparable](list []T, item T, limit int) []T {
	if slices.Contains(list, item) {
		return list
	}
	return text.Newest(append(list, item), limit)
}

// Places remembers where findings were, as "key/function/number", oldest first, so that an
// edit that shows one again does not report it again.
type Places []string

// Place is a place in a file: a key of the file and the line, the function around it, "-" if
// the edit does not show it, and its number among equal ones there.
type Place struct {
	Key, Function string
	Number        int
}

// String returns "key/function/number", as snapshots hold it.
func (k Place) String() string { return k.Key + "/" + k.Function + "/" + strconv.Itoa(k.Number) }

// covers reports whether a remembered place may be this one: an edit that shows less of the
// file lacks the function.
func (k Place) covers(text string) bool {
	rest, same := strings.CutPrefix(text, k.Key+"/")
	function, number, whole := strings.Cut(rest, "/")
	return same && whole && number == strconv.Itoa(k.Number) && (function == k.Function || function == "-" || k.Function == "-")
}

// Know reports whether an earlier edit had the place.
func (p Places) Know(k Place) bool { return slices.ContainsFunc(p, k.covers) }

// Add remembers places; the oldest leave beyond the limit.
func (p *Places) Add(list []Place, limit int) {
	for _, k := range list {
		if !p.Know(k) {
			*p = append(*p, k.String())
		}
	}
	*p = text.Newest(*p, limit)
}

// Forget drops the places whose key begins with one of the parts, up to a slash: if the line
// is written again, it is new.
func (p *Places) Forget(gone map[string]bool) {
	*p = slices.DeleteFunc(*p, func(text string) bool {
		part, _, _ := strings.Cut(text, "/")
		return gone[part]
	})
}

// Numbers count the equal places of one edit.
type Numbers map[Place]int

// Next returns a place with its number.
func (n Numbers) Next(k Place) Place {
	n[k]++
	k.Number = n[k]
	return k
}
