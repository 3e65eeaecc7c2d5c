package engine

import "container/list"

// held is a group's state in memory.
type held[S any] struct {
	group    string
	state    S
	sequence uint64 // last source sequence folded
	base     uint64 // last source sequence of the snapshot it was rebuilt from
	count    int    // inputs folded in its life
	unsaved  int    // inputs folded since its last snapshot
	size     int
	purged   bool // its last input erased the group: it must be saved at once
}

// weight implements weighed.
func (h *held[S]) weight() int { return h.size }

// advance replaces the state after one input.
func (h *held[S]) advance(state S, sequence uint64) {
	h.state, h.sequence = state, sequence
	h.count++
	h.unsaved++
}

// due reports whether a snapshot should be saved: at doubling intervals up to a
// cap, so that short sessions cost little and a long one's tail stays short.
func (h *held[S]) due(o KernelOptions) bool {
	since := h.count - h.unsaved // inputs in the last snapshot
	return h.unsaved >= min(max(since, o.SnapshotFirst), o.SnapshotEvery)
}

// packed is a state that was compressed to make room: its snapshot, which may not be stored
// yet.
type packed struct {
	Snapshot
	unsaved int
}

// weight implements weighed.
func (p *packed) weight() int { return 200 + len(p.Group) + len(p.Data) }

// weighed is something that has a size in bytes.
type weighed interface{ weight() int }

// recent holds what a kernel has of groups, the least recently used last, within a budget.
type recent[T weighed] struct {
	budget  *budget
	bytes   int
	byGroup map[string]*list.Element
	order   *list.List // of *kept[T]
}

type kept[T weighed] struct {
	group string
	what  T
	bytes int
}

func newRecent[T weighed](b *budget) *recent[T] {
	b.join()
	return &recent[T]{budget: b, byGroup: map[string]*list.Element{}, order: list.New()}
}

// get returns the value of a group, the zero value if there is none.
func (r *recent[T]) get(group string) (none T) {
	if at := r.byGroup[group]; at != nil {
		return at.Value.(*kept[T]).what
	}
	return none
}

func (r *recent[T]) has(group string) bool { return r.byGroup[group] != nil }

// put adds a group or weighs it again, and makes it the most recently used.
func (r *recent[T]) put(group string, what T) {
	at := r.byGroup[group]
	if at == nil {
		at = r.order.PushFront(&kept[T]{group: group})
		r.byGroup[group] = at
	} else {
		r.order.MoveToFront(at)
	}
	k := at.Value.(*kept[T])
	k.what = what
	r.weigh(k, what.weight())
}

func (r *recent[T]) weigh(k *kept[T], bytes int) {
	r.bytes += bytes - k.bytes
	r.budget.add(bytes - k.bytes)
	k.bytes = bytes
}

// overflow returns the value to remove next, if not everything fits. The most recently used
// always stays.
func (r *recent[T]) overflow() (what T, over bool) {
	if !r.budget.over(r.bytes) || r.order.Len() < 2 {
		return what, false
	}
	return r.order.Back().Value.(*kept[T]).what, true
}

func (r *recent[T]) remove(group string) {
	if at := r.byGroup[group]; at != nil {
		r.weigh(at.Value.(*kept[T]), 0)
		r.order.Remove(at)
		delete(r.byGroup, group)
	}
}

// close gives the memory back to the budget.
func (r *recent[T]) close() { r.budget.leave(r.bytes) }
