package registry

import "strings"

// Commit folds in the result of Digest. Turns are committed in order of arrival, each
// once.
func (r *Registry) Commit(t *Turn) {
	for _, i := range t.FilesRead {
		r.reads.add(i.Item)
	}
	for _, i := range t.FilesWritten {
		r.write(i.Item)
	}
	for _, i := range t.Fetched {
		r.fetched.add(i.Item)
	}
	r.commitSymbols(t)
	for _, d := range t.Decisions {
		r.decisions.add(d)
	}
	for _, i := range t.Diffs {
		r.diffs.add(i.Item)
	}
	for _, p := range t.plans {
		r.plans.add(p)
	}
	for _, f := range t.RedFlags {
		f.Sentence = shorten(f.Sentence, r.config.Limits.TextBytes)
		r.flags.add(f)
	}
	if len(t.Requests) > 0 {
		r.Baseline = t.Baseline
	}
	r.count(t)
}

// WroteElsewhere records the writes of another session's turn, if both work in one
// workspace: what was read before may have changed, and what was built may be gone
// (SW-1).
func (r *Registry) WroteElsewhere(other *Registry, t *Turn) {
	if r.workspace != other.workspace || r.Counters.Turns == 0 {
		return
	}
	for _, i := range t.FilesWritten {
		w := i.Item
		w.Turn, w.Segment, w.Elsewhere = r.Counters.Turns, endOfTurn, true
		r.write(w)
	}
}

// endOfTurn orders a write after all segments of its turn.
const endOfTurn = 1 << 20

// write records a write. An evicted write is remembered as a write of any file, so that a
// lookup errs on the side of "may have changed".
func (r *Registry) write(w FileWritten) {
	if w.Path == "" {
		r.anyWrite = w
		return
	}
	if old, full := r.writes.next(); full {
		r.lostWrite = old
	}
	r.writes.add(w)
}

// commitSymbols applies removals, edits and new symbols in an order in which they cannot
// undo each other: first what disappears, then what exists afterwards.
func (r *Registry) commitSymbols(t *Turn) {
	for _, i := range t.Removed {
		r.remove(i.Item)
	}
	for _, i := range t.Learnt {
		r.learn(i.Item)
	}
	for _, i := range t.Edited {
		if !r.update(&r.built, i.Item) {
			r.learn(i.Item)
		}
	}
	for _, i := range t.Built {
		if !r.update(&r.built, i.Item) {
			r.built.add(i.Item)
		}
	}
}

// update refreshes a symbol that is already held and keeps its first turn.
func (r *Registry) update(c *collection[Built], b Built) bool {
	for _, n := range c.find("n" + b.Symbol.Name) {
		if placeOf(&c.at(n).Symbol) == placeOf(&b.Symbol) {
			c.change(n, func(old *Built) {
				b.Turn, b.Times = old.Turn, old.Times+b.Times
				*old = b
			})
			return true
		}
	}
	return false
}

// learn records a symbol that was seen. One that this session built stays marked as
// built.
func (r *Registry) learn(b Built) {
	for _, n := range r.built.find("n" + b.Symbol.Name) {
		if old := r.built.at(n); old.Gone == 0 && placeOf(&old.Symbol) == placeOf(&b.Symbol) {
			return
		}
	}
	b.Times = 0
	if !r.update(&r.learnt, b) {
		r.learnt.add(b)
	}
}

// remove marks a symbol, or everything in a file or directory, as gone.
func (r *Registry) remove(b Built) {
	if b.Symbol.Name == "" {
		r.removeUnder(b.Symbol.Path+"/", b.Gone)
	}
	for _, c := range []*collection[Built]{&r.built, &r.learnt} {
		for _, n := range c.find("p" + b.Symbol.Path) {
			if name := c.at(n).Symbol.Name; b.Symbol.Name == "" || name == b.Symbol.Name {
				c.change(n, func(old *Built) { old.Gone = b.Gone })
			}
		}
	}
}

func (r *Registry) count(t *Turn) {
	c := &r.Counters
	c.Turns++
	c.Diffs += len(t.Diffs)
	c.Errors += t.Errors
	// A turn that neither researches nor has an effect does not change the count.
	if t.Effect {
		c.ResearchTurns = 0
	} else if t.Research {
		c.ResearchTurns++
	}
	if t.Compacted {
		c.LastCompacted = t.Number
	}
	if len(t.Requests) > 0 {
		c.LastUserTurn = t.Number
	}
}

// removeUnder marks the symbols in a directory's files as gone.
func (r *Registry) removeUnder(prefix string, turn int) {
	for _, c := range []*collection[Built]{&r.built, &r.learnt} {
		for n := c.first; n < c.first+len(c.ring); n++ {
			if strings.HasPrefix(c.at(n).Symbol.Path, prefix) {
				c.change(n, func(old *Built) { old.Gone = turn })
			}
		}
	}
}
