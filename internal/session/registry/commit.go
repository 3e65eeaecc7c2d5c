package registry

// Commit folds in the result of Digest. Turns are committed in order of arrival, each
// once.
func (r *Registry) Commit(t *Turn) {
	for _, i := range t.FilesRead {
		r.reads.add(i.Item)
	}
	for _, i := range t.FilesWritten {
		r.written.add(i.Item)
	}
	for _, i := range t.Fetched {
		r.fetched.add(i.Item)
	}
	r.symbols.commit(t)
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
	r.Counters.count(t)
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
		r.written.add(w)
	}
}

// endOfTurn orders a write after all segments of its turn.
const endOfTurn = 1 << 20

// count counts what a turn did.
func (c *Counters) count(t *Turn) {
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
