package guard

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/destruct"
)

// Effect is the effect of a command.
type Effect = destruct.Effect

// Decision is the decision about a command. Keep lets it run after a snapshot, which is
// reported.
type Decision string

// Decisions, mildest first.
const (
	Allow Decision = "allow"
	Keep  Decision = "keep"
	Warn  Decision = "warn"
	Deny  Decision = "deny"
)

var strictness = map[Decision]int{Allow: 0, Keep: 1, Warn: 2, Deny: 3}

// Stricter reports whether a decision is stricter than another one.
func (d Decision) Stricter(than Decision) bool { return strictness[d] > strictness[than] }

// Finding is the decision about one effect.
type Finding struct {
	Effect   *destruct.Effect
	Decision Decision
	// Says continues a sentence that begins with the command: " would destroy work that
	// this session did not do: …"; Instead is the alternative.
	Says, Instead string
	// Lost are the files that could not be recovered, Place the target that decided.
	Lost  []WorkFile
	Place string
	// Snapshot is the worktree whose uncommitted work must be saved first, "" for none.
	Snapshot string
	// Asked reports whether the person asked for this very act; Before is then the
	// original decision.
	Asked  bool
	Before Decision
	// Observed reports whether the pack only observes.
	Observed bool
}

// Verdict is the judgement of a command line.
type Verdict struct {
	Decision Decision
	// Findings are the findings about all relevant effects, in the order of the line.
	Findings []Finding
}

// Worst returns the first of the strictest findings; nil if there are none.
func (v *Verdict) Worst() *Finding {
	var worst *Finding
	for i := range v.Findings {
		if f := &v.Findings[i]; worst == nil || f.Decision.Stricter(worst.Decision) {
			worst = f
		}
	}
	return worst
}

// Snapshots returns the worktrees to save before the command runs.
func (v *Verdict) Snapshots() (folders []string) {
	seen := map[string]bool{}
	for i := range v.Findings {
		if s := v.Findings[i].Snapshot; s != "" && !seen[s] && v.Decision != Deny {
			seen[s] = true
			folders = append(folders, s)
		}
	}
	return folders
}
