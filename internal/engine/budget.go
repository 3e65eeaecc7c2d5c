package engine

import "sync/atomic"

// budget is memory that the partitions of a runner share. A partition must give memory back
// when all together use too much and it uses more than its share, so that a busy one can use
// what others leave.
type budget struct {
	limit int64
	used  atomic.Int64
	users atomic.Int64
}

// over reports whether a partition that uses own bytes must give some back.
func (b *budget) over(own int) bool {
	return b != nil && b.used.Load() > b.limit && int64(own)*max(b.users.Load(), 1) > b.limit
}

func (b *budget) join() {
	if b != nil {
		b.users.Add(1)
	}
}

func (b *budget) add(bytes int) {
	if b != nil {
		b.used.Add(int64(bytes))
	}
}

// leave releases all bytes of a partition that stops.
func (b *budget) leave(own int) {
	if b != nil {
		b.users.Add(-1)
		b.used.Add(-int64(own))
	}
}

// Memory is what the kernels of a stage share: three quarters of its bytes for
// states, the rest for packed ones, which are about a tenth of the size.
type Memory struct{ states, packed budget }

// NewMemory returns a memory of so many bytes.
func NewMemory(bytes int) *Memory {
	m := &Memory{}
	m.states.limit, m.packed.limit = int64(bytes)*3/4, int64(bytes)/4
	return m
}

func (m *Memory) budgets() (states, packed *budget) {
	if m == nil {
		return nil, nil
	}
	return &m.states, &m.packed
}
