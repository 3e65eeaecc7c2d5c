package engine

import (
	"container/list"
	"time"
)

// unsaved lists the groups with inputs that no snapshot covers, longest first.
// They stay listed when their state leaves memory.
type unsaved struct {
	byGroup map[string]*list.Element
	order   *list.List // of *debt
}

// debt is a group with inputs, within a span, that no snapshot covers.
type debt struct {
	group string
	span  Span
	since time.Time
}

// Span is a range of sequences, both ends included.
type Span struct{ First, Last uint64 }

func newUnsaved() *unsaved { return &unsaved{byGroup: map[string]*list.Element{}, order: list.New()} }

// note lists a span of a group, or extends the one that is listed.
func (u *unsaved) note(group string, span Span) {
	if at := u.byGroup[group]; at != nil {
		known := &at.Value.(*debt).span
		known.First, known.Last = min(known.First, span.First), max(known.Last, span.Last)
		return
	}
	u.byGroup[group] = u.order.PushBack(&debt{group: group, span: span, since: time.Now()})
}

// span returns the listed span of a group.
func (u *unsaved) span(group string) (span Span, listed bool) {
	if at := u.byGroup[group]; at != nil {
		return at.Value.(*debt).span, true
	}
	return span, false
}

func (u *unsaved) saved(group string) {
	if at := u.byGroup[group]; at != nil {
		u.order.Remove(at)
		delete(u.byGroup, group)
	}
}

// before returns the groups listed before a time.
func (u *unsaved) before(at time.Time) (groups []string) {
	for e := u.order.Front(); e != nil && e.Value.(*debt).since.Before(at); e = e.Next() {
		groups = append(groups, e.Value.(*debt).group)
	}
	return groups
}

// all returns each group with its first uncovered input.
func (u *unsaved) all() map[string]uint64 {
	all := make(map[string]uint64, len(u.byGroup))
	for group, e := range u.byGroup {
		all[group] = e.Value.(*debt).span.First
	}
	return all
}
