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
	at       *list.Element
	owner    *states[S]
}

// folded replaces the state of a cached group after one input.
func (h *held[S]) folded(state S, sequence uint64, size int) {
	h.owner.bytes += size - h.size
	h.size = size
	h.advance(state, sequence)
	h.owner.recent.MoveToFront(h.at)
}

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

func (h *held[S]) saved() { h.unsaved = 0 }

// states holds the states of a kernel, least recently used last, within a limit
// of bytes as the machine estimates them; 0 is no limit.
type states[S any] struct {
	limit, bytes int
	byGroup      map[string]*held[S]
	recent       *list.List
}

func newStates[S any](limit int) *states[S] {
	return &states[S]{limit: limit, byGroup: map[string]*held[S]{}, recent: list.New()}
}

func (s *states[S]) get(group string) *held[S] { return s.byGroup[group] }

func (s *states[S]) put(h *held[S]) *held[S] {
	h.owner = s
	h.at = s.recent.PushFront(h)
	s.byGroup[h.group] = h
	s.bytes += h.size
	return h
}

// overflow returns the state to evict, nil if all fit; the latest always stays.
func (s *states[S]) overflow() *held[S] {
	if s.limit == 0 || s.bytes <= s.limit || s.recent.Len() < 2 {
		return nil
	}
	return s.recent.Back().Value.(*held[S])
}

func (s *states[S]) remove(h *held[S]) {
	s.recent.Remove(h.at)
	delete(s.byGroup, h.group)
	s.bytes -= h.size
}

// forget removes a group without saving it.
func (s *states[S]) forget(group string) {
	if h := s.byGroup[group]; h != nil {
		s.remove(h)
	}
}
