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

// debt is a group whose inputs from first on are not covered.
type debt struct {
	group string
	first uint64
	since time.Time
}

func newUnsaved() *unsaved { return &unsaved{byGroup: map[string]*list.Element{}, order: list.New()} }

// note lists a group unless it is listed.
func (u *unsaved) note(group string, first uint64) {
	if u.byGroup[group] == nil {
		u.byGroup[group] = u.order.PushBack(&debt{group: group, first: first, since: time.Now()})
	}
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
		all[group] = e.Value.(*debt).first
	}
	return all
}
