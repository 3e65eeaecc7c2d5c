package registry

import sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"

// Bytes that an entry needs besides its text: the struct itself, and its share of the
// index.
const (
	smallEntry  = 220
	symbolEntry = 460
)

func weighRead(r *FileRead) int {
	return smallEntry + len(r.Path) + len(r.Hash) + len(r.InputHash)
}

func weighWrite(w *FileWritten) int { return smallEntry + len(w.Path) }

func weighBuilt(b *Built) int {
	s := &b.Symbol
	return symbolEntry + len(s.Name)*3 + len(s.Path) + len(s.Signature) + len(s.Container) + 4*(len(s.Shingles)+len(s.Calls))
}

func weighFetched(f *Fetched) int {
	return smallEntry + 2*(len(f.Target)+len(f.Query)) + len(f.Hash) + len(f.InputHash)
}

func weighDecision(d *Decision) int {
	return 2*smallEntry + 2*(len(d.Topic)+len(d.Choice)+len(d.Rejected)) + len(d.Sentence)
}

func weighDiff(d *DiffRecord) int {
	return smallEntry + len(d.Path) + 4*len(d.Shingles) + len(d.AddedHash) + len(d.RemovedHash)
}

func weighPlan(p *PlanRecord) int { return 48 + 4*len(p.Shingles) }

func weighFlag(f *sessionevents.RedFlagHit) int { return smallEntry + len(f.Sentence) }

// Size estimates the memory of the registry in bytes.
func (r *Registry) Size() int {
	n := 2048 + r.reads.bytes + r.writes.bytes + r.built.bytes + r.learnt.bytes + r.fetched.bytes +
		r.decisions.bytes + r.diffs.bytes + r.plans.bytes + r.flags.bytes + r.codebase.size()
	for _, c := range r.Conventions {
		n += 100 + len(c.ID) + len(c.Rule) + len(c.Wrapper)
		for _, b := range c.Bypass {
			n += 16 + len(b)
		}
	}
	return n + r.Baseline.size()
}

func (b *Baseline) size() int {
	n := len(b.Task) + 48*len(b.Terms)
	for _, list := range [][]string{b.Constraints, b.Paths, b.Identifiers} {
		for _, s := range list {
			n += 16 + len(s)
		}
	}
	for _, q := range b.Requests {
		n += 32 + len(q.Text)
	}
	return n
}

// Evicted returns the number of entries dropped so far per collection, without
// collections that dropped none; nil if none did.
func (r *Registry) Evicted() map[string]int {
	var out map[string]int
	for name, n := range map[string]int{
		"files_read": r.reads.evicted, "files_written": r.writes.evicted, "functions_built": r.built.evicted,
		"symbols_learnt": r.learnt.evicted, "data_fetched": r.fetched.evicted, "decisions_made": r.decisions.evicted,
		"diffs": r.diffs.evicted, "plan_shingles": r.plans.evicted, "red_flags_seen": r.flags.evicted,
		"codebase_symbols": r.codebase.droppedSymbols, "codebase_files": r.codebase.droppedFiles,
		"scope_baseline": r.Baseline.Evicted,
	} {
		if n > 0 {
			if out == nil {
				out = map[string]int{}
			}
			out[name] = n
		}
	}
	return out
}
