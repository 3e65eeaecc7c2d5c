package memory

import "github.com/scaffoldwatch/scaffoldwatch/internal/engine"

// Bounds limit what a stage keeps in memory. The zero value limits nothing.
type Bounds struct {
	Memory *engine.Memory // for states; nil: no limit
	// Groups is how many groups may keep their inputs since the last snapshot; the
	// longest silent is saved first. 0: no limit.
	Groups int
	// Saved keeps the data of snapshots; nil keeps them in memory.
	Saved Saved
}

// Saved keeps data outside of memory. It is safe for concurrent use.
type Saved interface {
	Put(data []byte) (place int64, err error)
	Get(place int64, size int) ([]byte, error)
}

// recently is the order in which groups were last used.
type recently struct {
	limit int
	clock uint64
	used  map[string]uint64
}

// use makes a group the most recently used, and returns the least recently used one if there
// are too many.
func (r *recently) use(group string) (silent string, over bool) {
	if r.limit <= 0 {
		return "", false
	}
	if r.used == nil {
		r.used = map[string]uint64{}
	}
	r.clock++
	r.used[group] = r.clock
	if len(r.used) <= r.limit {
		return "", false
	}
	oldest := r.clock
	for name, at := range r.used {
		if at <= oldest { // each is used at a time of its own
			silent, oldest = name, at
		}
	}
	delete(r.used, silent)
	return silent, true
}

func (r *recently) forget(group string) { delete(r.used, group) }
